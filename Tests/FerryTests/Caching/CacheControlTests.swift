import Ferry
import FerryTesting
import XCTest

final class CacheControlTests: XCTestCase {
    private struct Row {
        let section: String
        let lines: [String]
        let expected: [String]

        init(_ section: String, _ lines: String..., is expected: [String]) {
            self.section = section
            self.lines = lines
            self.expected = expected
        }
    }

    /// A directive as text: `!` marks one that is malformed.
    private static func text(_ directive: CacheControl.Directive) -> String {
        "\(directive.isWellFormed ? "" : "!")\(directive.name)" + (directive.argument.map { "=\($0)" } ?? "")
    }

    private static let rows: [Row] = [
        Row("5.2", "max-age=60", is: ["max-age=60"]),
        Row("5.2", "max-age=60, no-store", is: ["max-age=60", "no-store"]),
        Row("5.2", "max-age=60,no-store", is: ["max-age=60", "no-store"]),
        Row("5.2", "Max-Age=60, NO-STORE", is: ["max-age=60", "no-store"]),
        Row("5.2", "max-age=\"60\"", is: ["max-age=60"]),
        Row("5.2", "private=\"a, b\", max-age=1", is: ["private=a, b", "max-age=1"]),
        Row("5.2", "ext=\"a\\\"b\", no-store", is: ["ext=a\"b", "no-store"]),
        Row("5.2", "ext=\"no-store\"", is: ["ext=no-store"]),
        Row("5.2", "max-age=1", "no-cache", is: ["max-age=1", "no-cache"]),
        Row("5.2.3", "community=\"UCI\", max-age=5", is: ["community=UCI", "max-age=5"]),
        Row("RFC 9110 5.6.1", "", is: []),
        Row("RFC 9110 5.6.1", ",, ,", is: []),
        Row("RFC 9110 5.6.1", ", no-store ,,max-age=3,", is: ["no-store", "max-age=3"]),
        Row("RFC 9110 5.6.3", "\t no-store \t,\tmax-age=3 ", is: ["no-store", "max-age=3"]),
        Row("RFC 9110 5.6.2", "max-age = 60", is: ["!max-age"]),
        Row("RFC 9110 5.6.2", "max-age=", is: ["!max-age"]),
        Row("RFC 9110 5.6.2", "=60, no-store", is: ["no-store"]),
        Row("RFC 9110 5.6.2", "no-store; max-age=3, private", is: ["!no-store", "private"]),
        Row("RFC 9110 5.6.2", "max-age=60 s", is: ["!max-age"]),
        Row("RFC 9110 5.6.4", "max-age=\"60", is: ["!max-age"]),
        Row("RFC 9110 5.6.4", "ext=\"a, no-store", is: ["!ext", "no-store"]),
        Row("RFC 9110 5.6.4", "ext=\"a\"b, no-store", is: ["!ext", "no-store"]),
        Row("RFC 9110 5.6.4", "ext='a, b', public", is: ["ext='a", "b'", "public"]),
        Row("RFC 9110 5.5", "é, no-store", is: ["no-store"]),
    ]

    func testDirectives_followTheGrammar() {
        for row in Self.rows {
            XCTAssertEqual(
                CacheControl(row.lines).directives.map(Self.text), row.expected, "\(row.section): \(row.lines)")
        }
    }

    private static let seconds: [(section: String, line: String, expected: CacheControl.Seconds?)] = [
        ("1.2.2", "max-age=0", .value(0)),
        ("1.2.2", "max-age=0060", .value(60)),
        ("1.2.2", "max-age=2147483648", .value(1 << 31)),
        ("1.2.2", "max-age=99999999999999999999999999", .value(1 << 31)),
        ("5.2", "max-age=\"60\"", .value(60)),
        ("4.2.1", "max-age=1, max-age=9", .value(1)),
        ("4.2.1", "max-age=x, max-age=9", .invalid),
        ("4.2.1", "max-age=1.5", .invalid),
        ("4.2.1", "max-age=-1", .invalid),
        ("4.2.1", "max-age=+1", .invalid),
        ("4.2.1", "max-age=\"\"", .invalid),
        ("4.2.1", "max-age=\" 60\"", .invalid),
        ("4.2.1", "max-age", .invalid),
        ("4.2.1", "max-age=60 60", .invalid),
        ("5.2.2.10", "s-maxage=60", nil),
        ("5.2.3", "x-max-age=60", nil),
    ]

    func testSeconds_ofTheFirstDirective() {
        for row in Self.seconds {
            XCTAssertEqual(CacheControl([row.line]).seconds("max-age"), row.expected, "\(row.section): \(row.line)")
        }
    }

    private static let noCache: [(section: String, lines: [String], expected: CacheControl.NoCache?)] = [
        ("5.2.2.4", ["max-age=1"], nil),
        ("5.2.2.4", ["no-cache"], .response),
        ("5.2.2.4", ["no-cache=\"Set-Cookie, X-A\""], .fields(["set-cookie", "x-a"])),
        ("5.2.2.4", ["no-cache=X-A"], .fields(["x-a"])),
        ("5.2.2.4", ["no-cache=\"X-A\", no-cache"], .response),
        ("5.2.2.4", ["no-cache=\"X-A\"", "no-cache=\"X-B\""], .fields(["x-a", "x-b"])),
        ("5.2.2.4", ["no-cache=\"\""], .response),
        ("5.2.2.4", ["no-cache=\"a b\""], .response),
        ("5.2.2.4", ["no-cache="], .response),
    ]

    func testNoCache_asFarAsItGoes() {
        for row in Self.noCache {
            XCTAssertEqual(CacheControl(row.lines).noCache, row.expected, "\(row.section): \(row.lines)")
        }
    }

    func testMaxStale_withAndWithoutArgument() {
        let rows: [(String, Int?)] = [
            ("max-stale", .max), ("max-stale=5", 5), ("max-stale=\"5\"", 5), ("max-stale=x", nil), ("max-stale=", nil),
            ("no-cache", nil),
        ]
        for (line, expected) in rows { XCTAssertEqual(CacheControl([line]).maxStale, expected, "5.2.1.2: \(line)") }
    }

    func testRequest_takesPragmaWhereThereIsNoCacheControl() {
        XCTAssert(CacheControl(request: ["Pragma": "No-Cache"]).contains("no-cache"))
        XCTAssertFalse(
            CacheControl(request: ["Pragma": "no-cache", "Cache-Control": "max-age=1"]).contains("no-cache"))
        XCTAssertFalse(CacheControl(request: ["Pragma": "other"]).contains("no-cache"))
    }

    static var rowCount: Int { rows.count + seconds.count + noCache.count + 6 }

    func testFuzz_agreesWithASlowReader() {
        var generator = SeededGenerator(seed: 9111)
        let pieces = [
            "max-age", "no-store", "a", "B", "=", "=", ",", ",", " ", "\t", "\"", "\"", "\\", "60", ";", "é", "\u{301}",
            "\u{1}", "no-cache", "\"x, y\"", "\"\\\"\"", "\r\n",
        ]
        for round in 0..<100_000 {
            let line = (0..<Int.random(in: 0...10, using: &generator))
                .map { _ in pieces[Int.random(in: 0..<pieces.count, using: &generator)] }.joined()
            let expected = SlowCacheControl.read(line)
            let read = CacheControl([line]).directives.map(Self.text)
            guard read == expected else {
                return XCTFail("round \(round): \(line.debugDescription) gave \(read), not \(expected)")
            }
        }
    }
}

/// Reads by trying every prefix against the grammar: slow, and written without the scanner.
private enum SlowCacheControl {
    static func read(_ line: String) -> [String] {
        let bytes = Array(line.utf8)
        var result: [String] = []
        var place = 0
        while place < bytes.count {
            if bytes[place] == 0x2C || bytes[place] == 0x20 || bytes[place] == 0x09 {
                place += 1
                continue
            }
            let ends = (place..<bytes.count).lazy.map { $0 + 1 }.reversed()
            let matched = ends.compactMap { end in element(Array(bytes[place..<end])).map { (end, $0) } }.first
            let end = matched?.0 ?? place
            let comma = (end..<bytes.count).first { bytes[$0] == 0x2C } ?? bytes.count
            if let (name, argument) = matched?.1 {
                result.append(
                    comma == end ? name + (argument.map { "=\($0)" } ?? "") : "!\(name)")
            }
            place = comma
        }
        return result
    }

    private static func element(_ bytes: [UInt8]) -> (String, String?)? {
        var bytes = bytes
        while let last = bytes.last, last == 0x20 || last == 0x09 { bytes.removeLast() }
        if isToken(bytes) { return (String(decoding: bytes, as: UTF8.self).lowercased(), nil) }
        guard let equals = bytes.firstIndex(of: 0x3D), isToken(Array(bytes[..<equals])) else { return nil }
        let name = String(decoding: bytes[..<equals], as: UTF8.self).lowercased()
        let rest = Array(bytes[(equals + 1)...])
        if isToken(rest) { return (name, String(decoding: rest, as: UTF8.self)) }
        guard rest.count >= 2, rest.first == 0x22, rest.last == 0x22 else { return nil }
        var inner = Array(rest[1..<(rest.count - 1)])
        var value: [UInt8] = []
        while !inner.isEmpty {
            let byte = inner.removeFirst()
            if byte == 0x22 { return nil }
            if byte != 0x5C {
                value.append(byte)
            } else {
                guard !inner.isEmpty else { return nil }
                value.append(inner.removeFirst())
            }
        }
        return (name, String(decoding: value, as: UTF8.self))
    }

    private static let allowed = Set(
        "!#$%&'*+-.^_`|~0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ".utf8)

    private static func isToken(_ bytes: [UInt8]) -> Bool {
        !bytes.isEmpty && bytes.allSatisfy(allowed.contains)
    }
}
