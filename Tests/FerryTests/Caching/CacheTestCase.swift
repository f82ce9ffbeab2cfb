import Ferry
import FerryTesting
import Foundation
import XCTest

/// Whole calls through a client with a cache over a mock, by a clock of their own.
class CacheTestCase: XCTestCase {
    let clock = ManualClock()
    let call = NetworkCall(.get, "/items")

    func client(
        _ cache: ResponseCache = ResponseCache(), jar: CookieJar? = nil, interceptors: [any Interceptor] = [],
        errors: Collected<NetworkError> = Collected(), answer: @escaping MockRoute.Reply
    ) throws -> (NetworkClient, MockTransport) {
        let transport = MockTransport.answering(answer)
        let client = NetworkClient(baseURL: try .test("https://api.example")) {
            $0.cache = cache
            $0.cookieJar = jar
            $0.interceptors = interceptors
            $0.transport = transport
            $0.clock = clock
            $0.errorHandler = { errors.add($0) }
        }
        return (client, transport)
    }

    /// Numbers its answers in their bodies.
    func counting(_ headers: HTTPHeaders, _ status: HTTPStatus = 200) -> MockRoute.Reply {
        let count = Collected<Int>()
        return { _ in
            count.add(1)
            return .text("\(count.all.count)", status: status, headers: headers)
        }
    }
}
