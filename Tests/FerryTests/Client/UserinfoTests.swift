import Ferry
import FerryTesting
import Foundation
import XCTest

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Credentials that come by a way of their own: in a URL, and among the fields of a session.
final class UserinfoTests: ClientTestCase {
    func testUserinfo_becomesAnAuthorizationFieldOnEveryPlatform() async throws {
        server.fallback { .text($0.headers["Authorization"] ?? "none") }
        let base = "http://u%40x:p%3A%25@127.0.0.1:\(server.port)"
        let client = NetworkClient(baseURL: URL(string: base))
        let expected = "Basic " + Data("u@x:p:%".utf8).base64EncodedString()
        let sent = try await client.string(NetworkCall(.get, "/x"))
        XCTAssertEqual(sent, expected)
        XCTAssertNil(try client.urlRequest(for: NetworkCall(.get, "/x")).url?.user())
        let own = try await client.string(NetworkCall(.get, "/x", headers: ["Authorization": "Bearer t"]))
        XCTAssertEqual(own, "Bearer t")
        // `https://@h` names nobody (WHATWG URL §4.4).
        for (userinfo, expected) in [("", "none"), (":", "none"), ("u", "u:"), (":p", ":p"), ("u:p:q", "u:p:q")] {
            let call = NetworkCall(
                .get, url: try XCTUnwrap(URL(string: "http://\(userinfo)@127.0.0.1:\(server.port)/")))
            let sent = try await self.client().string(call)
            let wanted = expected == "none" ? expected : "Basic " + Data(expected.utf8).base64EncodedString()
            XCTAssertEqual(sent, wanted, userinfo)
        }
        // RFC 7617 §2.1: in Normalization Form C.
        let accented = NetworkCall(
            .get, url: try XCTUnwrap(URL(string: "http://u:e%CC%81@127.0.0.1:\(server.port)/")))
        let composed = try await self.client().string(accented)
        XCTAssertEqual(composed, "Basic " + Data("u:\u{E9}".utf8).base64EncodedString())
        // RFC 7617 §2: no colon in the user, no control characters.
        for malformed in [
            "http://a%3Ab:c@127.0.0.1/", "http://a%FF@127.0.0.1/", "http://a%0D%0A:b@127.0.0.1/",
            "http://a:%C2%85@127.0.0.1/",
        ] {
            let error = await failure { () throws(NetworkError) in
                try await NetworkClient(baseURL: URL(string: malformed)).data(NetworkCall(.get, "/"))
            }
            XCTAssertEqual(error?.kind, .invalidURL, malformed)
        }
    }

    func testSessionHeaders_withCredentialsAreRefused() async throws {
        let configuration = NetworkClient.Configuration(baseURL: server.baseURL)
        configuration.session.httpAdditionalHeaders = ["authorization": "Bearer t"]
        let client = NetworkClient(configuration: configuration)
        let error = await failure { () throws(NetworkError) in try await client.data(NetworkCall(.get, "/x")) }
        XCTAssertEqual(error?.kind, .invalidHeader)
        XCTAssertEqual(server.acceptedConnections, 0)
    }
}
