import Foundation
import XCTest

@testable import Ferry

/// The bytes of multipart forms: RFC 7578, RFC 2046 §5.1.1, and the escaping of WHATWG HTML.
final class MultipartEncoderTests: XCTestCase {
    /// The body and its bytes; the bytes are as many as the body says.
    private func encode(_ form: MultipartForm) async throws -> (body: RequestBody, text: String) {
        let body = try BodyEncoder().encode(.multipart(form))
        let bytes = try await body.bytes()
        XCTAssertEqual(try body.length, Int64(bytes.count))
        return (body, String(decoding: bytes, as: UTF8.self))
    }

    private func error(_ form: MultipartForm, line: UInt = #line) -> NetworkError? {
        do throws(NetworkError) {
            _ = try BodyEncoder().encode(.multipart(form))
            XCTFail("It was encoded", line: line)
            return nil
        } catch {
            return error
        }
    }

    /// The Content-Disposition line of a form of one part.
    private func disposition(_ name: String, _ fileName: String?) async throws -> String {
        var form = MultipartForm(boundary: "B")
        form.append(name, data: Data(), fileName: fileName)
        let lines = try await encode(form).text.components(separatedBy: "\r\n")
        XCTAssertEqual(lines.count, 7, "\(lines)")
        return lines[1]
    }

    func testMPT01_namesAndFileNamesCannotBreakOut() async throws {
        let row = try ConformanceCase.load("MPT-01", area: "multipart")
        let line = try await disposition(
            XCTUnwrap(row.input["name"].string), XCTUnwrap(row.input["filename"].string))
        XCTAssertEqual(line, row.expected["header_line"].string)
    }

    func testMPT03_percentIsKept() async throws {
        let row = try ConformanceCase.load("MPT-03", area: "multipart")
        let line = try await disposition("f", XCTUnwrap(row.input["filename"].string))
        let expected = try XCTUnwrap(row.expected["filename_param"].string)
        XCTAssertEqual(line, "Content-Disposition: form-data; name=\"f\"; filename=\"\(expected)\"")
    }

    func testNames_areEscapedByBytes() async throws {
        for (name, expected) in [
            ("a\nb", "a%0Ab"), ("a\rb", "a%0Db"), ("a\r\nb", "a%0D%0Ab"), ("\r\n", "%0D%0A"), ("\n\r", "%0A%0D"),
            ("\"", "%22"), ("\\\"", "\\%22"), ("a\\b", "a\\b"), ("100%", "100%"), ("%22", "%22"), ("", ""),
            ("日本語.txt", "日本語.txt"), ("e\u{301}\r\n", "e\u{301}%0D%0A"), ("a;b=c", "a;b=c"), ("🇩🇪\"", "🇩🇪%22"),
            ("\u{2028}\u{85}", "\u{2028}\u{85}"), ("tab\tnul", "tab\tnul"), ("\"\u{301}x", "%22\u{301}x"),
        ] {
            let line = try await disposition(name, name)
            XCTAssertTrue(
                line.utf8.elementsEqual(
                    "Content-Disposition: form-data; name=\"\(expected)\"; filename=\"\(expected)\"".utf8),
                "\(name.debugDescription): \(line.debugDescription)")
            XCTAssertFalse(line.contains("filename*"))
        }
    }

    func testMPT06_framingAndLength() async throws {
        let row = try ConformanceCase.load("MPT-06", area: "multipart")
        let boundary = try XCTUnwrap(row.input["boundary"].string)
        var form = MultipartForm(boundary: boundary)
        for part in row.input["parts"].array {
            let name = try XCTUnwrap(part["name"].string)
            if let text = part["text"].string {
                form.append(name, text)
            } else {
                form.append(
                    name, data: Data(try XCTUnwrap(part["data"].string).utf8), fileName: part["filename"].string,
                    contentType: try XCTUnwrap(part["type"].string))
            }
        }
        let (body, text) = try await encode(form)
        XCTAssertEqual(text, row.expected["body"].string)
        XCTAssertEqual(try body.length, row.expected["content_length"].int.map(Int64.init))
        XCTAssertEqual(body.contentType?.description, "multipart/form-data; boundary=\(boundary)")

        let empty = try await encode(MultipartForm(boundary: boundary)).text
        XCTAssertEqual(empty, "--\(boundary)--\r\n")
    }

    func testMPT04_boundaryInAPartIsRefused() async throws {
        let row = try ConformanceCase.load("MPT-04", area: "multipart")
        let data = Data(try XCTUnwrap(row.input["part_data"].string).utf8)
        var form = MultipartForm(boundary: try XCTUnwrap(row.input["forced_boundary"].string))
        form.append("a", data: data)
        XCTAssertEqual(error(form)?.kind, .invalidBody)

        // The default: another is picked, whatever the content.
        var random = MultipartForm()
        random.append("a", data: data)
        let body = try BodyEncoder().encode(.multipart(random))
        let boundary = try XCTUnwrap(body.contentType?.parameter("boundary"))
        XCTAssertLessThanOrEqual(boundary.utf8.count, 70)
        XCTAssertGreaterThanOrEqual(boundary.utf8.count, 6 + 32, "fewer than 128 bits")
    }

    func testBoundary_isAnotherEachTime() throws {
        let boundaries = try (0..<200).map { _ in
            try XCTUnwrap(
                BodyEncoder().encode(.multipart(MultipartForm())).contentType?.parameter("boundary"))
        }
        XCTAssertEqual(Set(boundaries).count, 200)
        XCTAssertTrue(boundaries.allSatisfy(MultipartBoundary.isValid))
    }

    /// Gives scripted numbers.
    private struct Numbers: RandomNumberGenerator {
        var numbers: [UInt64]

        mutating func next() -> UInt64 { numbers.isEmpty ? 0 : numbers.removeFirst() }
    }

    func testBoundary_thatOccursIsReplaced() throws {
        let taken = "ferry-0000000000000001000000000000000f"
        let dashes = String(repeating: "-", count: 999)
        for content in ["--\(taken)", "x--\(taken)--", "\r\n--\(taken)\r\n", dashes + taken] {
            var form = MultipartForm()
            form.append("t", content)
            var numbers = Numbers(numbers: [1, 15, 2, 3])
            let body = try MultipartEncoder(style: .default).encode(form, using: &numbers)
            XCTAssertEqual(
                body.contentType?.parameter("boundary"), "ferry-00000000000000020000000000000003", content)
        }
        var free = MultipartForm()
        free.append("t", "-\(taken) --\(taken.dropLast())")
        var numbers = Numbers(numbers: [1, 15, 2, 3])
        let body = try MultipartEncoder(style: .default).encode(free, using: &numbers)
        XCTAssertEqual(body.contentType?.parameter("boundary"), taken)
    }

    func testBoundary_givenIsChecked() async throws {
        for bad in ["", " ", "a ", String(repeating: "b", count: 71), "a\r\nb", "a\"b", "ä", "a;b", "a\u{0}"] {
            XCTAssertEqual(error(MultipartForm(boundary: bad))?.kind, .invalidHeader, bad.debugDescription)
        }
        for (good, written) in [
            ("a", "a"), (String(repeating: "b", count: 70), String(repeating: "b", count: 70)), ("a b", "\"a b\""),
            ("gc0pJq0M:08jU534c0p", "\"gc0pJq0M:08jU534c0p\""), ("'()+_,-./:=?", "\"'()+_,-./:=?\""),
        ] {
            let (body, text) = try await encode(MultipartForm(boundary: good))
            XCTAssertEqual(body.contentType?.description, "multipart/form-data; boundary=\(written)")
            XCTAssertEqual(text, "--\(good)--\r\n")
        }
    }

    func testMPT07_contentTypeCannotInject() throws {
        let row = try ConformanceCase.load("MPT-07", area: "multipart")
        let types = [
            try XCTUnwrap(row.input["content_type"].string), "", "text", "a/b\r\nX: y", "a/b\n", "a/b;c=\"d\u{0}\"",
            "a/b;c=\"d\r\nX: y\"", "a/b;c=\"d\\\ne\"",
        ]
        let stream = BodyStream(length: 0) { AsyncStream<Data>.of([]) }
        for type in types {
            var forms = [MultipartForm(), MultipartForm(), MultipartForm()]
            forms[0].append("f", data: Data(), contentType: type)
            forms[1].append("f", file: URL(filePath: #filePath), contentType: type)
            forms[2].append("f", stream: stream, contentType: type)
            for form in forms {
                let error = error(form)
                XCTAssertEqual(error?.kind, .invalidHeader, type.debugDescription)
                XCTAssertTrue(error?.message.contains("content type") == true)
            }
        }
        XCTAssertNil(MediaType(type: "a", subtype: "b", parameters: [(name: "c", value: "d\r\ne")]))
    }

    func testContentType_isGivenOrByExtension() async throws {
        for (fileName, expected) in [
            ("a.txt", "text/plain"), ("a.JPG", "image/jpeg"), ("a.tar.json", "application/json"),
            ("a", "application/octet-stream"), ("a.", "application/octet-stream"),
            ("a.unheard-of", "application/octet-stream"),
        ] {
            var form = MultipartForm(boundary: "B")
            form.append("f", data: Data(), fileName: fileName)
            let text = try await encode(form).text
            XCTAssertTrue(text.contains("\r\nContent-Type: \(expected)"), "\(fileName): \(text)")
        }
        var form = MultipartForm(boundary: "B")
        form.append("f", data: Data(), fileName: "a.txt", contentType: MediaType.json)
        form.append("g", data: Data(), contentType: "text/csv; header=present")
        form.append("h", "text")
        let text = try await encode(form).text
        XCTAssertEqual(
            text.components(separatedBy: "\r\n").filter { $0.hasPrefix("Content-Type") },
            ["Content-Type: application/json", "Content-Type: text/csv; header=present"])
    }

    func testContent_isByteForByteAndInOrder() async throws {
        let directory = try temporaryDirectory()
        let file = try directory.write(Data("file\r\n".utf8), "a\"b.bin")
        let empty = try directory.write(Data(), "empty")
        let stream = BodyStream(length: 6) { AsyncStream<Data>.of([Data("str".utf8), Data(), Data("eam".utf8)]) }
        var form = MultipartForm(boundary: "B")
        form.append("b", "line\nline\r\n")
        form.append("a", file: file)
        form.append("a", stream: stream, fileName: "s")
        form.append("c", file: empty, fileName: "")
        form.append("d", data: Data([0x2D, 0x2D]))
        let text = try await encode(form).text
        let head = "--B\r\nContent-Disposition: form-data; name="
        let type = "\r\nContent-Type: application/octet-stream\r\n\r\n"
        XCTAssertEqual(
            text,
            "\(head)\"b\"\r\n\r\nline\nline\r\n\r\n"
                + "\(head)\"a\"; filename=\"a%22b.bin\"\(type)file\r\n\r\n"
                + "\(head)\"a\"; filename=\"s\"\(type)stream\r\n"
                + "\(head)\"c\"; filename=\"\"\(type)\r\n"
                + "\(head)\"d\"\(type)--\r\n--B--\r\n")
    }

    func testParameters_becomeParts() async throws {
        let missing: String? = nil
        let parameters: Parameters = ["q": "a b&c", "n": 2, "tags": ["x", "y"], "none": missing]
        var form = MultipartForm(parameters, boundary: "B")
        form.append(encoding: ["last": true])
        let text = try await encode(form).text
        let parts = text.components(separatedBy: "--B\r\nContent-Disposition: form-data; ").dropFirst()
        XCTAssertEqual(
            Array(parts),
            [
                "name=\"q\"\r\n\r\na b&c\r\n", "name=\"n\"\r\n\r\n2\r\n", "name=\"tags[]\"\r\n\r\nx\r\n",
                "name=\"tags[]\"\r\n\r\ny\r\n", "name=\"last\"\r\n\r\ntrue\r\n--B--\r\n",
            ])
    }

    func testManySmallParts_areFewPieces() throws {
        var form = MultipartForm()
        for index in 0..<3000 { form.append("n\(index)", "v") }
        guard case .segments(let body) = try BodyEncoder().encode(.multipart(form)).content else {
            return XCTFail("Not encoded as pieces")
        }
        XCTAssertLessThan(body.segments.count, 10)
    }

    func testReplayable_whereAllPartsAre() throws {
        let again = BodyStream(length: 1) { AsyncStream<Data>.of([Data("x".utf8)]) }
        let once = BodyStream(once: AsyncStream<Data>.of([Data("x".utf8)]), length: 1)
        for (stream, isReplayable) in [(again, true), (once, false)] {
            var form = MultipartForm()
            form.append("t", "text")
            form.append("s", stream: stream)
            XCTAssertEqual(RequestBody.multipart(form).isReplayable, isReplayable)
            XCTAssertEqual(try BodyEncoder().encode(.multipart(form)).isReplayable, isReplayable)
        }
    }

    func testUnsendableParts_areNamed() throws {
        let directory = try temporaryDirectory()
        var missing = MultipartForm()
        missing.append("f", file: directory.appending(path: "missing.txt"))
        XCTAssertEqual(error(missing)?.kind, .invalidBody)
        var folder = MultipartForm()
        folder.append("f", file: directory)
        XCTAssertEqual(error(folder)?.kind, .invalidBody)
        for length in [nil, -1 as Int64?] {
            var unknown = MultipartForm()
            unknown.append("log", stream: BodyStream(length: length) { AsyncStream<Data>.of([]) })
            XCTAssertEqual(error(unknown)?.kind, .invalidBody)
            XCTAssertTrue(error(unknown)?.message.contains("\"log\"") == true)
        }
        var huge = MultipartForm()
        for _ in 0..<2 { huge.append("s", stream: BodyStream(length: .max) { AsyncStream<Data>.of([]) }) }
        XCTAssertEqual(error(huge)?.kind, .invalidBody)
    }

    func testDescriptions_showNoContent() {
        var form = MultipartForm()
        form.append("password", "secret")
        for text in ["\(form)", "\(RequestBody.multipart(form))", String(reflecting: RequestBody.multipart(form))] {
            XCTAssertFalse(text.contains("secret") || text.contains("password"), text)
        }
    }
}
