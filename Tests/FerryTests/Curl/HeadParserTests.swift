#if os(Linux)
    import Ferry
    import Foundation
    import XCTest

    @testable import FerryCurl

    final class HeadParserTests: XCTestCase {
        /// What a head becomes: its status, fields and version; nil where it is refused.
        private func parse(_ text: String) -> (status: Int, version: Int, fields: [String], isComplete: Bool)? {
            var parser = HeadParser()
            var fields: [String] = []
            for line in Self.lines(Data(text.unicodeScalars.map { UInt8($0.value) })) {
                do {
                    let isDone = try line.withUnsafeBytes { try parser.take($0) }
                    if isDone { fields = parser.takeFields().map { "\($0.name)=\($0.value)" } }
                } catch {
                    return nil
                }
            }
            return (parser.status, parser.version, fields, parser.isComplete)
        }

        private static func lines(_ data: Data) -> [Data] {
            var lines: [Data] = []
            var rest = data[...]
            while let end = rest.firstIndex(of: 0x0A) {
                lines.append(Data(rest[...end]))
                rest = rest[(end + 1)...]
            }
            return lines
        }

        func testHeads_table() throws {
            let rows: [(head: String, status: Int, version: Int, fields: [String], section: String)] = [
                ("HTTP/1.1 200 OK\r\nA: b\r\n\r\n", 200, 1, ["A=b"], "RFC 9112 §4"),
                ("HTTP/1.0 404\r\n\r\n", 404, 1, [], "no reason, RFC 9112 §4"),
                ("HTTP/2 200 \r\nx-a: \r\n\r\n", 200, 2, ["x-a="], "libcurl's line for HTTP/2"),
                ("HTTP/1.1 200 OK\nA: b\n\n", 200, 1, ["A=b"], "bare LF, RFC 9112 §2.2"),
                (
                    "HTTP/1.1 103 Hi\r\nLink: x\r\n\r\nHTTP/1.1 200 OK\r\nB: c\r\n\r\n", 200, 1, ["B=c"],
                    "RFC 9110 §15.2"
                ),
                ("HTTP/1.1 200 OK\r\nA: b\r\n  c\r\n\r\n", 200, 1, ["A=b c"], "RFC 9112 §5.2"),
                ("HTTP/1.1 200 OK\r\nA: \t b \t\r\na:c\r\n\r\n", 200, 1, ["A=b", "a=c"], "RFC 9112 §5.1"),
                ("HTTP/1.1 200 OK\r\nA: caf\u{E9}\r\n\r\n", 200, 1, ["A=caf\u{E9}"], "Latin-1, RFC 9110 §5.5"),
                ("HTTP/1.1 200 OK\r\nA: \u{C3}\u{A9}\r\n\r\n", 200, 1, ["A=\u{E9}"], "UTF-8"),
            ]
            for row in rows {
                let parsed = try XCTUnwrap(parse(row.head), row.section)
                XCTAssertEqual(parsed.status, row.status, row.section)
                XCTAssertEqual(parsed.version, row.version, row.section)
                XCTAssertEqual(parsed.fields, row.fields, row.section)
                XCTAssertTrue(parsed.isComplete, row.section)
            }
        }

        func testHeads_thatAreRefused() {
            for head in [
                "HTTP/1.1\r\n\r\n", "HTTP/1.1 20 OK\r\n\r\n", "HTTP/1.1 2000\r\n\r\n", "HTTP/1.1 2x0 OK\r\n\r\n",
                "HTTP/ 200 OK\r\n\r\n", "ICY 200 OK\r\n\r\n", "HTTP/1.1 200 OK\r\nno colon\r\n\r\n",
                "HTTP/1.1 200 OK\r\n: x\r\n\r\n", "HTTP/1.1 200 OK\r\nA : x\r\n\r\n",
                "HTTP/1.1 200 OK\r\n A: x\r\n\r\n",
                "HTTP/1.1 200 OK\r\nA: x\0y\r\n\r\n", "HTTP/1.1 200 OK\r\nA: x\ry\r\n\r\n",
                "HTTP/1.1 200 OK\r\nA: " + String(repeating: "x", count: 300 << 10) + "\r\n\r\n",
            ] {
                XCTAssertNil(parse(head), String(head.prefix(40)))
            }
        }

        func testHead_thatIsCutIsIncomplete() {
            let head = "HTTP/1.1 200 OK\r\nA: b\r\n"
            XCTAssertEqual(parse(head)?.isComplete, false)
        }

        func testHeads_ofRandomBytesAreNoTrap() {
            var generator = SystemRandomNumberGenerator()
            let alphabet = Array("HTTP/1.20 :\r\n\tA\0\u{7F}".utf8) + [0x80, 0xFF]
            for _ in 0..<5000 {
                var parser = HeadParser()
                for _ in 0..<4 {
                    let line = (0..<Int.random(in: 0...12, using: &generator)).compactMap { _ in
                        alphabet.randomElement(using: &generator)
                    }
                    _ = try? line.withUnsafeBytes { try parser.take($0) }
                }
            }
        }
    }
#endif
