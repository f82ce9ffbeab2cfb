import Ferry
import XCTest

final class JSONKeyPathTests: XCTestCase {
    func testKeyPath_parsesAndWritesTheSamePath() throws {
        let rows: [(text: String, segments: [String])] = [
            ("", []),
            ("a", ["a"]),
            ("foo.bar.items", ["foo", "bar", "items"]),
            ("rows.1.id", ["rows", "1", "id"]),
            (#"a\.b.c"#, ["a.b", "c"]),
            (#"a\\.b"#, [#"a\"#, "b"]),
            (#"a\\\.b"#, [#"a\.b"#]),
            (#"\e"#, [""]),
            (#"a.\e.b"#, ["a", "", "b"]),
            ("ключ.日本.🙂", ["ключ", "日本", "🙂"]),
            ("a.\u{301}b", ["a", "\u{301}b"]),
            (" a . b ", [" a ", " b "]),
            ("-1", ["-1"]),
            ("a\r\n.b", ["a\r\n", "b"]),
        ]
        for row in rows {
            let path = JSONKeyPath(row.text)
            XCTAssertNoThrow(try path.validate(), row.text)
            XCTAssertEqual(path.segments, row.segments, row.text)
            XCTAssertEqual(path.description, row.text)
            XCTAssertEqual(path, JSONKeyPath(row.segments))
            XCTAssertEqual(JSONKeyPath(path.description), path)
        }
    }

    func testKeyPath_malformed_throwsAtUse() {
        for text in ["a..b", ".a", "a.", ".", #"a\"#, #"a\b"#, #"\ea"#, #"a\e"#, #"\e\e"#] {
            let path = JSONKeyPath(text)
            XCTAssertThrowsError(try path.validate(), text) {
                let error = $0 as? NetworkError
                XCTAssertEqual(error?.kind, .invalidRequest)
                XCTAssertTrue(error?.message.contains(text.debugDescription) == true, "\($0)")
            }
            XCTAssertEqual(path.description, text)
            XCTAssertNotEqual(path, "")
        }
    }

    func testKeyPath_literal() {
        let path: JSONKeyPath = "a.b"
        XCTAssertEqual(path.segments, ["a", "b"])
        XCTAssertEqual(Set([path, JSONKeyPath(["a", "b"])]).count, 1)
    }

    func testKeyPath_randomSegments_roundTrip() {
        var generator = SystemRandomNumberGenerator()
        let parts: [Unicode.Scalar] = [".", "\\", "e", "0", "a", "\u{301}", "é", "\n"]
        for _ in 0..<2000 {
            let segments = (0..<Int.random(in: 0...4, using: &generator)).map { _ in
                var text = String.UnicodeScalarView()
                for _ in 0..<Int.random(in: 0...4, using: &generator) {
                    text.append(parts[Int.random(in: 0..<parts.count, using: &generator)])
                }
                return String(text)
            }
            let path = JSONKeyPath(segments)
            XCTAssertEqual(JSONKeyPath(path.description), path, "\(segments)")
        }
    }
}
