import Ferry
import Foundation
import XCTest

final class MockModeTransportTests: XCTestCase {
    func testCallWithAMock_isAnsweredByIt() async throws {
        var options = CallOptions()
        options[MockResponseKey.self] = .fixture("users/1.json")
        let chain = InterceptorChain([], over: MockModeTransport(fixtures: MockTest.fixtures))
        let response = try await chain.send(HTTPRequest(url: MockTest.url), context: CallContext(options: options))
        let data = try await response.data()
        XCTAssertEqual(data, try MockTest.fixtures.data(named: "users/1.json"))
        XCTAssertEqual(response.source, .mock)
    }

    func testCallWithoutAMock_failsNamingTheRequestWithoutSecrets() async {
        let transport = MockModeTransport(fixtures: MockTest.fixtures)
        do throws(NetworkError) {
            _ = try await transport.send(HTTPRequest(method: .delete, url: MockTest.url), context: CallContext())
            XCTFail("Answered")
        } catch {
            XCTAssertEqual(error.kind, .mock)
            XCTAssertTrue(error.message.contains("DELETE http://api.example.test/a has no mockResponse"), error.message)
            XCTAssertFalse("\(error)".contains("s3cret"))
        }
    }

    func testMockMode_isOffUnlessOn() {
        XCTAssertFalse(MockMode.off.isOn)
        XCTAssertTrue(MockMode.on().isOn)
        XCTAssertTrue(MockMode.on(MockTest.fixtures).isOn)
    }

    func testSharedFixtures_areWellFormed() throws {
        let api = Repository.fixtures.appending(path: "api")
        let root = api.path(percentEncoded: false)
        for name in try FileManager.default.subpathsOfDirectory(atPath: root).sorted() {
            if name.hasSuffix(".json") {
                let data = try MockTest.fixtures.data(named: name)
                XCTAssertNoThrow(try JSONDecoder().decode(JSONValue.self, from: data), name)
            } else if FixtureName.isRawResponse(name) {
                XCTAssertNoThrow(try RawFixture(try MockTest.fixtures.data(named: name), name: name))
            }
        }
    }
}
