import Ferry
import FerryTesting
import Foundation
import XCTest

#if canImport(Glibc)
    import Glibc
#endif

/// Input that means harm, where no other test looks at it; Docs/Security.md has the whole list.
final class HardeningTests: ClientTestCase {
    /// Everything that reads text of a server, by name. None may trap, or take time beyond proportion.
    private static let readers: [(name: String, read: @Sendable (String) -> Void)] = [
        ("Cache-Control", { _ = CacheControl([$0]).seconds("max-age") }),
        ("Vary", { _ = CacheVariance.names(["Vary": $0]) }),
        ("Retry-After", { _ = RetryAfter.parse($0, now: Date(timeIntervalSince1970: 1e9)) }),
        ("Content-Range", { _ = ContentRange($0) }),
        ("Content-Disposition", { _ = ContentDisposition($0) }),
        ("Content-Digest", { _ = DigestFields.content(["Content-Digest": $0]) }),
        ("Repr-Digest", { _ = DigestFields.representation(["Repr-Digest": $0, "Digest": $0]) }),
        ("HTTP-date", { _ = HTTPDate.parse($0, now: Date(timeIntervalSince1970: 1e9)) }),
        ("RFC 3339", { _ = RFC3339.parse($0) }),
        ("media type", { _ = MediaType($0) }),
        ("Link", { _ = LinkHeader($0).links(relation: "next") }),
        ("reference", { _ = URIReference($0).resolved(against: URIReference("https://h.test/a/b?c")) }),
        ("absolute URL", { _ = try? URLAssembler.url(absolute: "https://" + $0) }),
        ("origin", { _ = Origin(URIReference("https://" + $0)) }),
        ("file name", { _ = SafeFileName.sanitized($0) }),
        ("key path", { _ = try? JSONKeyPath($0).validate() }),
        ("traceparent", { _ = TraceContext($0) }),
        ("pin", { try? CertificatePins(dictionaryLiteral: ($0, [$0])).validate() }),
        ("redacted text", { _ = Redaction.standard.text($0) }),
        ("redacted form", { _ = Redaction.standard.bodyText(Data($0.utf8), contentType: .form) }),
        ("redacted JSON", { _ = Redaction.standard.bodyText(Data($0.utf8), contentType: .json) }),
        (
            "redacted parts",
            {
                _ = Redaction.standard.bodyText(
                    Data($0.utf8), contentType: MediaType("multipart/form-data; boundary=a"))
            }
        ),
        ("raw fixture", { _ = try? RawFixture(Data("HTTP/1.1 200\r\n\($0)\r\n\r\n".utf8), name: "a") }),
        ("certificates", { _ = try? CertificatePins.pins(ofCertificates: Data($0.utf8)) }),
        (
            "events",
            { text in
                var parser = ServerSentEventParser()
                parser.append(Data("\(text)\nretry: \(text)\nid: \(text)\ndata: \(text)\n\n".utf8))
                while let event = try? parser.next() { _ = event }
            }
        ),
        (
            "array",
            { text in
                var parser = JSONArrayParser()
                parser.append(Data(text.utf8))
                parser.finish()
                while let element = try? parser.next() { _ = element }
            }
        ),
        (
            "cookies",
            { text in
                guard let url = URL(string: "https://h.test/a") else { return }
                let jar = CookieJar()
                jar.store(["Set-Cookie": text, "set-cookie": "a=\(text); Max-Age=\(text); Expires=\(text)"], from: url)
                _ = jar.header(for: url)
            }
        ),
        (
            "length",
            { text in
                guard let url = URL(string: "https://h.test/a") else { return }
                let head = HTTPResponse.Head(status: .ok, headers: ["Content-Length": text], url: url)
                _ = try? ContentLength.expected(of: head, method: .get)
                _ = ServerLimit.hold(
                    HTTPResponse.Head(
                        status: 429, headers: ["Retry-After": text, "RateLimit": text, "X-RateLimit-Reset": text],
                        url: url), now: Date())
            }
        ),
    ]

    func testNumbers_beyondEveryRangeAreNoTrap() {
        let numbers = [
            "99999999999999999999999999", "9223372036854775807", "9223372036854775808", "18446744073709551616", "-1",
            "-9223372036854775808", "2147483648", "4294967296", "1e309", "-1e309", "NaN", "0x7fffffffffffffff", "٣",
            "+5",
            "00000000000000000000000001", String(repeating: "9", count: 5_000), "1.", ".", "",
        ]
        let shapes = [
            "#", "max-age=#", "max-age=\"#\"", "bytes #-#/#", "bytes 0-#/*", "limit=#, remaining=#, reset=#",
            "\"a\";r=#;t=#",
            "Sun, # Nov # 08:49:37 GMT", "Sunday, 06-Nov-# 08:49:37 GMT", "#-#-#T#:#:#Z", "0001-01-01T00:00:00.#+#:#",
            "a; q=#; filename*#=UTF-8''%#", "a.test:#", "[#]:#", "a[#].#", "[#,{\"a\":#}]", "{\"token\":#}",
            "a=b; Max-Age=#; Expires=#",
            "00-#-#-01", "http://a.test:#/#?#", "Thu, 01 Jan # 00:00:# GMT", "filename=#; size=#",
        ]
        for number in numbers {
            for shape in shapes {
                let text = shape.replacing("#", with: number)
                for reader in Self.readers { reader.read(text) }
            }
        }
    }

    /// Parsers that look back or start over for each delimiter would not come to an end here.
    func testLongInput_takesTimeInProportion() {
        for piece in [
            "\"", "\\", "=", ",", ";", "<", ">", "%", "%2", "%25", ":", "/", "//", "../", "{", "[", "(", " ", "\t", "a",
            "a=", "a:",
            "&", "?", "#", "@", "*", "'", "-", "--a", "--a\r\n", "\u{0}", "\u{301}", "é", "\r\n", "\n", "\n\n",
            "data:\n", "<a>", "<token>", "token=",
            "\"token\":", "{\"a\":", "[[", "a; ", "a=\"", "\\\"", "Bearer ", "://", "-----BEGIN ",
            "-----BEGIN CERTIFICATE-----", "*.", "xn--", "token: ", "x token:", "token=%41", "a=%", "a='", "=\"'",
            "a=&", "a: b\n",
        ] {
            let text = String(repeating: piece, count: 2_000 / piece.utf8.count)
            for reader in Self.readers { reader.read(text) }
        }
        for piece in ["=", "a=", "x token: ", "a: ", "<a>", "a='"] {
            let text = String(repeating: piece, count: 40_000 / piece.utf8.count)
            XCTAssertTrue(Redaction.standard.text(text).hasPrefix(piece == "x token: " ? "x token: REDACTED" : piece))
        }
    }

    func testRandomInput_isNoTrap() {
        var random = SeededGenerator(seed: 1_010)
        let words = [
            "max-age", "bytes", "token", "password", "filename*", "UTF-8''", "GMT", "Nov", "data", "next", "rel",
            "http://", "a.test", "sha-256",
            "%", "%41", "\\u0041", "\\", "\"", "'", "=", ";", ",", ":", "<", ">", "{", "}", "[", "]", "(", ")", "/",
            "?", "#", "&", "@", "*", ".",
            "-", "--a", "\r\n", "\n", "\0", " ", "\t", "0", "9", "1e9", "é", "\u{301}", "😀", "\u{202E}", "MIIB",
            "-----BEGIN CERTIFICATE-----",
        ]
        for _ in 0..<1_500 {
            let count = Int.random(in: 0...24, using: &random)
            let text = (0..<count).map { _ in words.randomElement(using: &random) ?? "" }.joined()
            for reader in Self.readers { reader.read(text) }
        }
    }

    /// Each row of the table in Docs/Security.md names a test that is there.
    func testSecurityTable_namesTestsThatExist() throws {
        let guide = try String(contentsOf: Repository.root.appending(path: "Docs/Security.md"), encoding: .utf8)
        let table = guide.components(separatedBy: "\n\n").first { $0.hasPrefix("| threat |") } ?? ""
        let rows = table.split(separator: "\n").filter { $0.hasPrefix("| ") }.dropFirst()
        XCTAssertGreaterThan(rows.count, 40)
        for row in rows {
            let parts = row.components(separatedBy: "[`")
            let link = (parts.last ?? "").components(separatedBy: "`](../")
            guard parts.count == 2, link.count == 2, let end = link[1].firstIndex(of: ")") else {
                XCTFail("no test: \(row)")
                continue
            }
            let source = try String(
                contentsOf: Repository.root.appending(path: String(link[1][..<end])), encoding: .utf8)
            XCTAssertTrue(source.contains("func \(link[0])("), "\(row)")
        }
    }

    func testServer_doesNotSplitWhatARouteEchoes() async throws {
        server.on(.get, "/echo") { request in
            let text = request.queryItems.first?.value ?? ""
            var response = LoopbackResponse.text("body").header("X-Echo", text)
            response.reason = text
            return response
        }
        let call = NetworkCall(.get, "/echo", query: ["q": "a\r\nSet-Cookie: evil=1\r\n\r\nHTTP/1.1 200 OK\n\0"])
        let response = try await client().response(call, as: String.self)
        XCTAssertEqual(response.value, "body")
        XCTAssertFalse(response.head.headers.contains("Set-Cookie"))
        XCTAssertEqual(response.head.headers["X-Echo"]?.hasPrefix("a  Set-Cookie: evil=1"), true)
        XCTAssertEqual(server.requests.count, 1)
    }

    func testDownloads_endAtTheSizeThatIsAllowed() async throws {
        let directory = try temporaryDirectory()
        server.on(nil, "/big", .data(Data(count: 300_000)))
        for most: Int64 in [299_999, 300_000] {
            let target = directory.appending(path: "big-\(most)")
            let client = client()
            let call = NetworkCall(.get, "/big")
            if most < 300_000 {
                let error = await failure { () throws(NetworkError) in
                    try await client.downloadFile(call, to: target, options: .init(maxBytes: most))
                }
                XCTAssertEqual(error?.kind, .bodyTooLarge)
            } else {
                _ = try await client.downloadFile(call, to: target, options: .init(maxBytes: most))
            }
        }
        let left = try FileManager.default.contentsOfDirectory(atPath: directory.path)
        XCTAssertEqual(left, ["big-300000"])
    }

    func testMocksAndCassettes_cannotSplit() async throws {
        for headers: HTTPHeaders in [["X-A": "a\r\nSet-Cookie: b=1"], ["X-A\r\nX-B": "a"], ["X-A": "a\0"]] {
            let issues = Issues()
            let mock = MockTransport(failureHandler: { issues.add($0) })
            mock.on(.get, "/p", MockResponse.text("a", headers: headers))
            let client = client { $0.transport = mock }
            let error = await failure { () throws(NetworkError) in try await client.data(NetworkCall(.get, "/p")) }
            XCTAssertEqual(error?.kind, .mock)
            XCTAssertEqual(issues.all.count, 1, "the test fails too")
        }
        let directory = try temporaryDirectory()
        let entry = """
            {"log":{"version":"1.2","creator":{"name":"a","version":"1"},"entries":[{"startedDateTime":"a","time":0,"cache":{},
            "request":{"method":"GET","url":"\(server.baseURL.absoluteString)/p","headers":[]},
            "response":{"status":200,"headers":[{"name":"X","value":"a\\r\\nSet-Cookie: b=1"}],"content":{"text":"a"}}}]}}
            """
        let file = try directory.write(Data(entry.utf8), "a.har")
        let issues = Issues()
        let replay = try ReplayTransport(file, failureHandler: { issues.add($0) })
        let client = client { $0.transport = replay }
        let error = await failure { () throws(NetworkError) in try await client.data(NetworkCall(.get, "/p")) }
        XCTAssertEqual(error?.kind, .mock, "\(error as Any)")
    }

    /// What somebody else put beside a download is not followed, waited for, or read without end.
    func testRecordOfADownload_isReadFromARegularFileAlone() async throws {
        let directory = try temporaryDirectory()
        let secret = try directory.write(Data("{}".utf8), "secret")
        for make: (String) throws -> Void in [
            { try FileManager.default.createSymbolicLink(atPath: $0, withDestinationPath: "/dev/zero") },
            { try FileManager.default.createSymbolicLink(atPath: $0, withDestinationPath: secret.path) },
            { XCTAssertEqual(mkfifo($0, 0o600), 0) },
            { try FileManager.default.createDirectory(atPath: $0, withIntermediateDirectories: false) },
            { try Data(count: 1 << 20).write(to: URL(filePath: $0)) },
        ] {
            let path = directory.appending(path: ".ferry-k.json").path
            try make(path)
            let file = try PartialFile(in: directory, key: "k", isPrivate: true)
            XCTAssertNil(file.record)
            file.close()
            try? FileManager.default.removeItem(atPath: path)
        }
        XCTAssertEqual(try Data(contentsOf: secret), Data("{}".utf8))
    }
}
