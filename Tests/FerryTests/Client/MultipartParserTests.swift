import Ferry
import Foundation
import XCTest

/// Multipart bodies read by an independent parser: python-multipart, behind a small server in Python.
///
/// Runs where `FERRY_PYTHON` names an interpreter that has python-multipart; `.ci/run` makes one.
final class MultipartParserTests: XCTestCase {
    private var parser: MultipartParserServer!
    private var client: NetworkClient!
    private var directory: URL!

    override func setUp() async throws {
        parser = try MultipartParserServer()
        client = NetworkClient(baseURL: parser.baseURL)
        directory = try temporaryDirectory()
    }

    override func tearDown() async throws {
        parser?.stop()
    }

    private func post(_ form: MultipartForm, file: URL? = nil) async throws -> [MultipartParserServer.Part] {
        let call = NetworkCall(
            .post, "/", headers: file.map { ["X-File": $0.path] } ?? [:], body: .multipart(form),
            timeout: .seconds(120))
        let answer = try await client.request(call, as: MultipartParserServer.Answer.self)
        XCTAssertTrue(answer.isEnded, "the parser saw no end")
        XCTAssertTrue(answer.parts.allSatisfy { $0.kind == "form-data" })
        return answer.parts
    }

    func testHostileNames_arriveAsOneParameterEach() async throws {
        let names = [
            "plain", "", "a\"b", "a\r\nX-Evil: 1", "a\nb", "\r\n\r\n--B\r\n", "100%0A", "日本語", "e\u{301}", "a;b=c; d",
            "name=\"x\"", "%22", "back\\slash", "C:\\x\\y.txt", "../../etc/passwd", "tab\there", "🇩🇪", "'",
            "filename*=UTF-8''x",
            String(repeating: "long", count: 100),
        ]
        var form = MultipartForm()
        for (index, name) in names.enumerated() {
            form.append(name, data: Data("\(index)".utf8), fileName: name, contentType: MediaType.octetStream)
        }
        let parts = try await post(form)
        XCTAssertEqual(parts.count, names.count)
        for (index, (name, part)) in zip(names, parts).enumerated() {
            // The escaping of WHATWG HTML, written anew by scalars.
            let escaped = name.unicodeScalars.map { scalar in
                switch scalar {
                case "\n": "%0A"
                case "\r": "%0D"
                case "\"": "%22"
                default: String(scalar)
                }
            }.joined()
            XCTAssertEqual(
                part.disposition.bytes, Data("form-data; name=\"\(escaped)\"; filename=\"\(escaped)\"".utf8), name)
            // The parser takes a backslash for an escape, as RFC 9110 does and browsers do not.
            if !name.contains("\\") {
                XCTAssertEqual(part.name.bytes, Data(escaped.utf8), name)
                XCTAssertEqual(part.fileName?.bytes, Data(escaped.utf8), name)
            }
            XCTAssertEqual(part.headers, 2, name)
            XCTAssertEqual(part.content.bytes, Data("\(index)".utf8), name)
        }
    }

    func testContent_arrivesByteForByte() async throws {
        let contents =
            [
                "", "\r\n", "\r\n\r\n", "\n", "--", "--\r\n", "\r\n--", "\r\n--B", "\r", "a\r\nb\r\n", "\r\n--B--\r\n",
                String(repeating: "\r\n-", count: 50), "\u{0}\u{1}",
            ].map { Data($0.utf8) } + [Data([0xFF, 0xFE, 0x00, 0x0D]), Data((0...255).map { UInt8($0) })]
        var form = MultipartForm()
        for content in contents { form.append("f", data: content) }
        let empty = try directory.write(Data(), "empty.txt")
        form.append("empty", file: empty)
        form.append("none", "")
        let parts = try await post(form)
        XCTAssertEqual(parts.map(\.content.bytes), contents + [Data(), Data()])
        XCTAssertEqual(parts.map(\.size), contents.map(\.count) + [0, 0])
        XCTAssertEqual(parts.suffix(2).map(\.type), ["text/plain", nil])
    }

    func testThreeThousandParts_arriveInOrder() async throws {
        var form = MultipartForm()
        for index in 0..<3000 {
            if index.isMultiple(of: 10) {
                let file = try directory.write(Data("file \(index)".utf8), "\(index).txt")
                form.append("n\(index)", file: file)
            } else {
                form.append("n\(index)", "text \(index)")
            }
        }
        let parts = try await post(form)
        XCTAssertEqual(parts.map(\.name.bytes), (0..<3000).map { Data("n\($0)".utf8) })
        XCTAssertEqual(
            parts.map(\.content.bytes),
            (0..<3000).map { Data("\($0.isMultiple(of: 10) ? "file" : "text") \($0)".utf8) })
    }

    func testLargeFile_arrivesWhole() async throws {
        let file = directory.appending(path: "300.bin")
        try Data().write(to: file)
        let handle = try FileHandle(forWritingTo: file)
        var block = [UInt64](repeating: 0, count: 1 << 17)
        var state: UInt64 = 1
        for _ in 0..<300 {
            for index in block.indices {
                state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
                block[index] = state
            }
            try handle.write(contentsOf: block.withUnsafeBytes { Data($0) })
        }
        try handle.close()
        var form = MultipartForm()
        form.append("before", "x")
        form.append("file", file: file)
        form.append("after", "y")
        let parts = try await post(form, file: file)
        XCTAssertEqual(parts.map(\.size), [1, 300 << 20, 1])
        XCTAssertEqual(parts.map(\.isFile), [false, true, false])
    }

    func testFormWithoutParts_isAForm() async throws {
        let parts = try await post(MultipartForm())
        XCTAssertEqual(parts.count, 0)
    }
}

/// The server of `Fixtures/tools/multipart_server.py`; it ends with its standard input.
private final class MultipartParserServer {
    struct Answer: Decodable, Sendable {
        let parts: [Part]
        let isEnded: Bool
    }

    struct Part: Decodable, Sendable {
        let kind: String
        let disposition: Hex
        let name: Hex
        let fileName: Hex?
        let type: String?
        let headers: Int
        let size: Int
        let content: Hex
        let isFile: Bool?
    }

    /// Bytes written as hexadecimal digits.
    struct Hex: Decodable, Sendable {
        let bytes: Data

        init(from decoder: any Decoder) throws {
            let digits = Array(try decoder.singleValueContainer().decode(String.self).utf8)
            bytes = Data(
                stride(from: 0, to: digits.count - 1, by: 2).compactMap {
                    UInt8(String(decoding: digits[$0...$0 + 1], as: UTF8.self), radix: 16)
                })
        }
    }

    let baseURL: URL
    private let process = Process()
    private let input = Pipe()

    init() throws {
        guard let python = ProcessInfo.processInfo.environment["FERRY_PYTHON"] else {
            throw XCTSkip("No independent multipart parser: FERRY_PYTHON names no Python with python-multipart")
        }
        let output = Pipe()
        process.executableURL = URL(filePath: python)
        process.arguments = [Repository.fixtures.appending(path: "tools/multipart_server.py").path]
        process.standardInput = input
        process.standardOutput = output
        try process.run()
        let line = String(decoding: output.fileHandleForReading.availableData, as: UTF8.self)
        let port = line.trimmingCharacters(in: .whitespacesAndNewlines)
        guard Int(port) != nil, let url = URL(string: "http://127.0.0.1:\(port)") else {
            throw XCTSkip("No independent multipart parser: \(python) cannot import python-multipart")
        }
        baseURL = url
    }

    func stop() {
        try? input.fileHandleForWriting.close()
        process.waitUntilExit()
    }
}
