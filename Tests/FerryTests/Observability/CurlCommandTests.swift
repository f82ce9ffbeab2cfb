import Ferry
import FerryTesting
import Foundation
import Synchronization
import XCTest

/// The command is exact, safe in a shell, and gives no secret away.
final class CurlCommandTests: ClientTestCase {
    func testCRL01_quotesSurviveTheShell() async throws {
        let row = try ConformanceCase.load("CRL-01", area: "curl")
        let url = try XCTUnwrap(URL(string: row.input["url"].string ?? ""))
        let body = try XCTUnwrap(row.input["body"].string)
        let value = try XCTUnwrap(row.input["headers"]["X-Json"].string)
        var request = HTTPRequest(method: .post, url: url, headers: ["X-Json": value], body: .text(body))
        XCTAssertTrue(request.curl().contains(try XCTUnwrap(row.expected["quoted_body"].string)), request.curl())

        request.url = try XCTUnwrap(URL(string: "/a?x=1&y=2", relativeTo: server.baseURL)).absoluteURL
        server.fallback { _ in .status(200) }
        try run(request.curl(redaction: .none))
        let received = try XCTUnwrap(server.requests.last)
        XCTAssertEqual(received.method, .post)
        XCTAssertEqual(received.target, "/a?x=1&y=2")
        XCTAssertEqual(received.headers["X-Json"], value)
        XCTAssertEqual(received.body, Data(body.utf8))
    }

    func testCRL03_secretsAndBinaryContent() throws {
        let row = try ConformanceCase.load("CRL-03", area: "curl")
        let secret = try XCTUnwrap(row.input["headers"]["Authorization"].string)
        let request = HTTPRequest(
            method: .put, url: try XCTUnwrap(URL(string: "https://h.test/")), headers: ["Authorization": secret],
            body: .data(Data([0x00, 0xFF, 0x10])))
        XCTAssertEqual(
            request.curl(),
            "curl -X PUT 'https://h.test/' -H 'Authorization: REDACTED' -H 'Content-Type: application/octet-stream'"
                + " -H 'Expect:' --data-binary @-  # the content (3 bytes, binary) is to be given on standard input")
        let exact = CurlCommand(request, redaction: .none)
        XCTAssertTrue(exact.text.hasPrefix(#"printf '\000\377\020' | curl"#), exact.text)
        XCTAssertTrue(exact.text.contains("Bearer s3cr3t"))
        XCTAssertFalse("\(exact) \(String(reflecting: exact))".contains("s3cr3t"))
    }

    func testSecrets_areHiddenInURLAndContent() throws {
        let client = client { $0.redaction = .standard.hiding("tenant") }
        let call = NetworkCall(
            .post, "/p", query: ["api_key": "s3cr3t", "tenant": "s3cr3t"],
            body: .multipart {
                $0.append("password", "s3cr3t")
                $0.append("title", "it's")
            })
        let text = try client.curl(for: call)
        XCTAssertFalse(text.contains("s3cr3t"), text)
        XCTAssertTrue(text.contains("api_key=REDACTED&tenant=REDACTED"), text)
        XCTAssertTrue(text.contains(#"it\047s"#), text)
        XCTAssertTrue(try client.curl(for: call, redaction: Redaction.none).contains("api_key=s3cr3t"))
    }

    /// The awkward ones, each sent by hand: what a test by chance may not meet.
    func testCommands_ofAwkwardRequests() async throws {
        let directory = try temporaryDirectory()
        server.fallback { _ in .status(200) }
        let base = server.baseURL.absoluteString.trimmingSuffix("/")
        let content = Data([0, 10, 13, 0xFF, 0xC3, 0x28, 0x80]) + Data("'%s\\n$(id)`id`@-\"".utf8)
        let file = try directory.write(content, "-it's; \"$(x)\",@ä.bin")
        let quotes = "'\"$HOME`id`\\!@;#&|<>*?~[]{}()^%"
        let rows: [(HTTPRequest, target: String, body: Data)] = [
            (try request(.head, base + "/a"), "/a", Data()),
            (try request("M'$`id`", base + "/a"), "/a", Data()),
            (try request("-X", base + "/a"), "/a", Data()),
            (
                try request(.get, base + "/a?b[]=1&c={2,3}&d=[1-3]", ["X-A": "", "x-quotes": quotes]), "/a?b%5B%5D=1",
                Data()
            ),
            (try request(.get, base + "/a/../b/./c?x=/../"), "/a/../b/./c?x=/../", Data()),
            (try request(.get, base + "#fragment"), "/", Data()),
            (
                try request(.get, base + "/%00%0A%27%24%60", ["X-A": "", "X-B": "a, b", "X-b": "c"]),
                "/%00%0A%27%24%60", Data()
            ),
            (try request(.post, base + "/a", body: .data(content)), "/a", content),
            (try request(.post, base + "/a", body: .data(Data())), "/a", Data()),
            (try request(.post, base + "/a", body: .text("@" + file.path)), "/a", Data(("@" + file.path).utf8)),
            (try request(.put, base + "/a", body: .text("-d x\r\n\n")), "/a", Data("-d x\r\n\n".utf8)),
            (try request(.patch, base + "/a", body: .text("=a;type=b\n")), "/a", Data("=a;type=b\n".utf8)),
            (try request(.post, base + "/a", body: .file(file)), "/a", content),
            (try request(.delete, base + "/a", body: .text("%d%%\\0\\")), "/a", Data("%d%%\\0\\".utf8)),
            (try request(.post, base + "/a", ["content-type": "a/b"], body: .text("")), "/a", Data()),
        ]
        for (request, target, body) in rows {
            let command = request.curl(redaction: .none)
            try run(command)
            let received = try XCTUnwrap(server.requests.last, command)
            XCTAssertEqual(received.method, request.method, command)
            XCTAssertTrue(received.target.hasPrefix(target), "\(received.target): \(command)")
            XCTAssertEqual(received.body, body, command)
            for name in ["X-A", "X-Quotes", "X-B"] where request.headers.contains(name) {
                XCTAssertEqual(received.headers.values(of: name), request.headers.values(of: name), command)
            }
            if !request.body.isNone {
                let type = request.headers["Content-Type"] ?? request.body.contentType?.description
                XCTAssertEqual(received.headers.values(of: "Content-Type"), [type ?? ""], command)
                XCTAssertEqual(received.headers["Content-Length"], "\(body.count)", command)
            }
            server.removeRequests()
        }
    }

    /// RFC 9110 §8.6: without it some servers answer 411.
    func testNoContent_isSaidWhereContentIsUsual() async throws {
        server.fallback { _ in .status(200) }
        for (method, length) in [(HTTPMethod.post, "0"), (.put, "0"), (.patch, "0"), (.delete, nil), (.get, nil)] {
            let url = try url("/a")
            try run(
                HTTPRequest(method: method, url: url, headers: ["Cookie": "a=1", "cookie": "b=2"]).curl(
                    redaction: .none))
            let received = try XCTUnwrap(server.requests.last)
            XCTAssertEqual(received.headers["Content-Length"], length, "\(method)")
            XCTAssertEqual(received.headers.values(of: "Cookie"), ["a=1; b=2"])
        }
    }

    func testRequestsMadeByHand_cannotInject() throws {
        let text = try request(
            .get, "http://[::1]:8080/a?b[]=1",
            [
                "X-A\r\nEvil": "1", "@/etc/passwd": "x", "X-B": "a\r\nEvil: 1", "X-C": "c\0d", "X-D": "d",
            ]
        ).curl(redaction: .none)
        XCTAssertEqual(
            text,
            "curl --globoff 'http://[::1]:8080/a?b%5B%5D=1' -H 'X-D: d'  # fields that cannot be sent are left out")
        let method = try request("GET / HTTP/1.1\r\nEvil: 1\r\n", "http://h.test/").curl(redaction: .none)
        XCTAssertEqual(method, "curl 'http://h.test/'  # the method cannot be sent")
    }

    private func request(
        _ method: HTTPMethod, _ url: String, _ headers: HTTPHeaders = [:], body: RequestBody = .none
    ) throws -> HTTPRequest {
        HTTPRequest(method: method, url: try XCTUnwrap(URL(string: url), url), headers: headers, body: body)
    }

    func testCommands_sendTheSameRequestByteForByte() async throws {
        let directory = try temporaryDirectory()
        var random = SeededGenerator(seed: 77)
        server.fallback { _ in .status(200) }
        let sent = SentRequests()
        let client = client { $0.interceptors = [sent] }
        for round in 0..<200 {
            let call = try randomCall(directory, &random)
            _ = try await client.data(call)
            let request = try XCTUnwrap(sent.last)
            let command = request.curl(redaction: .none)
            try run(command)
            let pair = server.requests
            guard pair.count == 2 else { return XCTFail("\(round): \(pair.count) requests, \(command)") }
            XCTAssertEqual(pair[0].method, pair[1].method, command)
            XCTAssertEqual(pair[0].target, pair[1].target, command)
            XCTAssertEqual(pair[0].body, pair[1].body, command)
            XCTAssertEqual(fields(pair[0]), fields(pair[1]), command)
            XCTAssertEqual(pair[0].headers["Content-Type"], pair[1].headers["Content-Type"], command)
            server.removeRequests()
        }
    }

    /// The fields that a call gave; the rest is what URLSession and curl say of themselves.
    private func fields(_ request: LoopbackRequest) -> [String] {
        let own = [
            "accept", "accept-encoding", "accept-language", "user-agent", "connection", "host", "content-length",
        ]
        return request.headers.filter { !own.contains($0.name.lowercased()) }
            .map { "\($0.name.lowercased()): \($0.value)" }.sorted()
    }

    private func randomCall(_ directory: URL, _ random: inout SeededGenerator) throws -> NetworkCall {
        let hostile = Array("'\"$`\\@!#%&;|<>(){}[]*?~=+:,. \tabcé—😀-")
        func text(_ most: Int, _ random: inout SeededGenerator) -> String {
            String((0..<Int.random(in: 0...most, using: &random)).map { _ in hostile.randomElement(using: &random)! })
        }
        func ascii(_ text: String) -> String { text.filter(\.isASCII) }
        var call = NetworkCall(
            [.get, .post, .put, .patch, .delete, .head, HTTPMethod("PURGE")].randomElement(using: &random) ?? .get,
            "/p/" + ascii(text(8, &random)).filter { !"#?%. \t".contains($0) },
            query: [text(5, &random): text(9, &random), "q": text(9, &random)],
            headers: [
                "X-A": ascii(text(12, &random)), "X-Empty": "", "X-B": "'$(id)`id`\(ascii(text(12, &random)))",
            ])
        guard call.method.allowsBody, call.method != .get else { return call }
        switch Int.random(in: 0...6, using: &random) {
        case 0: break
        case 1: call.body = .text("@" + text(60, &random) + "\n\r\n" + text(60, &random))
        case 2:
            let size = [0, 1, 100, 3_000, 80_000].randomElement(using: &random) ?? 0
            call.body = .data(Data((0..<size).map { _ in UInt8.random(in: 0...255, using: &random) }))
        case 3: call.body = .json(["a": text(30, &random), "b": text(30, &random)])
        case 4: call.body = .form(["a": text(30, &random)])
        case 5:
            let file = try directory.write(Data(text(90, &random).utf8), "it's $a `b`.bin")
            call.body = .file(file, contentType: .octetStream)
        default:
            let (name, value) = (text(9, &random), text(30, &random))
            let file = try directory.write(Data(text(90, &random).utf8), "part'\"$x.txt")
            call.body = .multipart {
                $0.append(name, value)
                $0.append("f", file: file)
            }
        }
        return call
    }

    /// Runs a command by `sh` to its end.
    private func run(_ command: String, file: StaticString = #filePath, line: UInt = #line) throws {
        guard FileManager.default.isExecutableFile(atPath: "/bin/sh"),
            ["/usr/bin/curl", "/bin/curl", "/usr/local/bin/curl"].contains(where: FileManager.default.isExecutableFile)
        else { throw XCTSkip("There is no curl command: the commands are written and not run") }
        let script = FileManager.default.temporaryDirectory.appending(path: "ferry-curl-\(UUID().uuidString).sh")
        try Data(command.utf8).write(to: script)
        defer { try? FileManager.default.removeItem(at: script) }
        let process = Process()
        process.executableURL = URL(filePath: "/bin/sh")
        process.arguments = [script.path(percentEncoded: false)]
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        process.standardInput = FileHandle.nullDevice
        try process.run()
        process.waitUntilExit()
        XCTAssertEqual(process.terminationStatus, 0, command, file: file, line: line)
    }
}

/// Remembers the requests that go out.
private final class SentRequests: Interceptor {
    /// Guards the last request: attempts may run at once.
    private let state = Mutex<HTTPRequest?>(nil)

    var last: HTTPRequest? { state.withLock { $0 } }

    func intercept(_ request: HTTPRequest, context: CallContext, next: Next) async throws(NetworkError) -> HTTPResponse
    {
        state.withLock { $0 = request }
        return try await next(request)
    }
}

extension String {
    fileprivate func trimmingSuffix(_ suffix: String) -> String {
        hasSuffix(suffix) ? String(dropLast(suffix.count)) : self
    }
}
