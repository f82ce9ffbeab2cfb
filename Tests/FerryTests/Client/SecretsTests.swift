import Ferry
import Foundation
import XCTest

/// Whatever of a call is printed or dumped shows no header value, query, userinfo or content.
final class SecretsTests: XCTestCase {
    func testDescriptionsAndDumps_showNoSecrets() throws {
        let url = try XCTUnwrap(URL(string: "https://hunter2:hunter2@api.test/p?hunter2=hunter2#hunter2"))
        let headers: HTTPHeaders = ["Authorization": "hunter2"]
        let data = Data("hunter2".utf8)
        let request = HTTPRequest(method: .post, url: url, headers: headers, body: .data(data))
        let head = HTTPResponse.Head(status: .ok, headers: headers, url: url)
        let call = NetworkCall(.get, "/p?\u{301}hunter2", headers: headers, body: .data(data))
        let client = NetworkClient(baseURL: url) {
            $0.headers = headers
            $0.query = ["k": "hunter2"]
        }
        let values: [Any] = [
            request, head, headers, headers.fields, call, call.target, NetworkCall.Target.url(url), client,
            client.configuration, HTTPResponse(head: head, body: .data(data)), HTTPResponse.Body.data(data),
            HTTPResponse(head: head, body: .stream(ByteStream([data]))), ByteStream([data]), RequestBody.data(data),
            CallEvent.attempt(1, request), CallEvent.head(head), CallEvent.data(data),
            CallEvent.redirected(Redirect(status: .found, source: url, target: url, method: .get)),
            CallEvent.finished(.failure(NetworkError(.network, "x").with { $0.response = head }, CallTimings())),
            MockResponse.data(data), Cookie(name: "a", value: "hunter2", domain: "b.test"),
            CookieJar([Cookie(name: "a", value: "hunter2", domain: "b.test")]),
            RetryPolicy.exponential(), CallOptions(), Parameters(dictionaryLiteral: ("k", "hunter2")),
        ]
        for value in values {
            var texts = ["\(value)", String(reflecting: value), ""]
            dump(value, to: &texts[2])
            // Bytes that are described or dumped show as numbers; one number alone may be part of an address.
            for text in texts {
                let isShown = ["hunter2", "104, 117", "- 104\n"].contains { text.contains($0) }
                XCTAssertFalse(isShown, "\(type(of: value)): \(text)")
            }
        }
    }

    func testMalformedHeaderName_isShownAsFarAsItIsAToken() {
        let headers: HTTPHeaders = ["Authorization: Bearer hunter2": "x"]
        XCTAssertThrowsError(try headers.validate()) {
            let text = "\($0)"
            XCTAssertTrue(text.contains("Authorization"), text)
            XCTAssertFalse(text.contains("hunter2"), text)
        }
    }
}
