import Ferry
import Foundation
import XCTest

final class RawFixtureTests: XCTestCase {
    func testHead_ofEveryLegalShape() throws {
        let rows: [(text: String, status: Int, fields: [String], body: String, why: String)] = [
            ("HTTP/1.1 200 OK\r\nA: 1\r\n\r\nbody", 200, ["A=1"], "body", "RFC 9112 §2.1"),
            ("HTTP/1.1 200 OK\nA: 1\n\nbody\n", 200, ["A=1"], "body\n", "§2.2: LF alone; the body keeps its last LF"),
            ("HTTP/1.1 200 OK\r\nA: 1\n\r\nb", 200, ["A=1"], "b", "§2.2: ends may be mixed"),
            ("HTTP/1.1 404 \n\n", 404, [], "", "§4: empty reason"),
            ("\u{FEFF}HTTP/1.1 200 OK\n\n\u{FEFF}b", 200, [], "\u{FEFF}b", "a byte order mark before the head alone"),
            ("HTTP/2 201\n\n", 201, [], "", "as curl writes HTTP/2"),
            ("HTTP/1.0 599 \u{e9}t\u{e9} x\n\n", 599, [], "", "§4: obs-text in the reason"),
            ("HTTP/1.1 200 OK\nA:\t v \t\nB:\n\n", 200, ["A=v", "B="], "", "§5: OWS and empty values"),
            (
                "HTTP/1.1 200 OK\nSet-Cookie: a=1\nset-cookie: b=2\n\n", 200, ["Set-Cookie=a=1", "set-cookie=b=2"], "",
                "RFC 9110 §5.3: repeated fields stay apart"
            ),
            ("HTTP/1.1 200 OK\nA: b:c\n\n\r\nx\0", 200, ["A=b:c"], "\r\nx\0", "the first empty line ends the head"),
        ]
        for row in rows {
            let raw = try RawFixture(Data(row.text.utf8), name: "f.http")
            XCTAssertEqual(raw.status.code, row.status, row.why)
            XCTAssertEqual(raw.headers.fields.map { "\($0.name)=\($0.value)" }, row.fields, row.why)
            XCTAssertEqual(raw.body, Data(row.body.utf8), row.why)
        }
    }

    func testHead_malformedNamesFileAndLine() {
        let rows: [(text: String, line: Int, words: String, why: String)] = [
            ("", 1, "does not end", "empty file"),
            ("HTTP/1.1 200 OK", 1, "does not end", "no line end"),
            ("HTTP/1.1 200 OK\r\n", 2, "does not end", "no empty line"),
            ("HTTP/1.1 200 OK\nA: 1\n", 3, "does not end", "no empty line after a field"),
            ("HTTP/1.1 200 OK\nA: 1\n{}", 3, "does not end", "body without an empty line"),
            ("\nHTTP/1.1 200 OK\n\n", 1, "status line", "leading empty line"),
            ("HTTP/1.1\u{FEFF} 200 OK\n\n", 1, "status line", "a byte order mark elsewhere"),
            ("\u{FEFF}\u{FEFF}HTTP/1.1 200 OK\n\n", 1, "status line", "two byte order marks"),
            (" HTTP/1.1 200 OK\n\n", 1, "status line", "leading space"),
            ("{\"a\": 1}\n\n", 1, "status line", "a body alone"),
            ("GET / HTTP/1.1\n\n", 1, "status line", "a request"),
            ("http/1.1 200 OK\n\n", 1, "status line", "§2.3: the name is case-sensitive"),
            ("HTTP/1.x 200 OK\n\n", 1, "status line", "§2.3: version"),
            ("HTTP/11 200 OK\n\n", 1, "status line", "§2.3: version"),
            ("HTTP/1.10 200 OK\n\n", 1, "status line", "§2.3: one digit"),
            ("HTTP/ 200 OK\n\n", 1, "status line", "§2.3: no version"),
            ("HTTP/1.1\n\n", 1, "status line", "no status"),
            ("HTTP/1.1  200 OK\n\n", 1, "three digits", "§4: single space"),
            ("HTTP/1.1\t200 OK\n\n", 1, "status line", "§4: a space, not a tab"),
            ("HTTP/1.1 20 OK\n\n", 1, "three digits", "§4"),
            ("HTTP/1.1 2000 OK\n\n", 1, "three digits", "§4"),
            ("HTTP/1.1 2x0 OK\n\n", 1, "three digits", "§4"),
            ("HTTP/1.1 +20 OK\n\n", 1, "three digits", "§4"),
            ("HTTP/1.1 \u{0661}\u{0660}0 OK\n\n", 1, "three digits", "§4: ASCII digits"),
            ("HTTP/1.1 000 OK\n\n", 1, "no final status", "below 100"),
            ("HTTP/1.1 100 Continue\n\nHTTP/1.1 200 OK\n\n", 1, "no final status", "RFC 9110 §15.2"),
            ("HTTP/1.1 200 O\rK\n\n", 1, "control character", "bare CR"),
            ("HTTP/1.1 200 OK\r\r\n\n", 1, "control character", "two CR"),
            ("HTTP/1.1 200 OK\nA\n\n", 2, "no colon", "§5"),
            ("HTTP/1.1 200 OK\n: 1\n\n", 2, "not a token", "§5: empty name"),
            ("HTTP/1.1 200 OK\nA : 1\n\n", 2, "not a token", "§5.1: space before the colon"),
            ("HTTP/1.1 200 OK\nA b: 1\n\n", 2, "not a token", "§5"),
            ("HTTP/1.1 200 OK\n\u{e9}: 1\n\n", 2, "not a token", "§5"),
            ("HTTP/1.1 200 OK\nA: 1\n folded\n\n", 3, "obsolete", "§5.2"),
            ("HTTP/1.1 200 OK\n\tfolded\n\n", 2, "obsolete", "§5.2"),
            ("HTTP/1.1 200 OK\nA: 1\0\n\n", 2, "control character", "RFC 9110 §5.5"),
            ("HTTP/1.1 200 OK\nA: 1\rB: 2\n\n", 2, "control character", "bare CR"),
            ("HTTP/1.1 200 OK\nA: 1\nB: \u{7F}\n\n", 3, "control character", "DEL"),
        ]
        for row in rows { check(Data(row.text.utf8), row.line, row.words, row.why) }
        check(Data("HTTP/1.1 200 OK\nA: ".utf8) + [0xE9, 0x0A, 0x0A], 2, "UTF-8", "Latin-1 value")
        check(Data("HTTP/1.1 200 ".utf8) + [0xFF, 0x0A, 0x0A], 1, "UTF-8", "Latin-1 reason")
    }

    private func check(_ data: Data, _ line: Int, _ words: String, _ why: String) {
        do throws(NetworkError) {
            _ = try RawFixture(data, name: "bad.http")
            XCTFail("Accepted: \(why)")
        } catch {
            XCTAssertEqual(error.kind, .mock, why)
            XCTAssertTrue(error.message.contains("\"bad.http\": line \(line) "), "\(why): \(error.message)")
            XCTAssertTrue(error.message.contains(words), "\(why): \(error.message)")
        }
    }

    func testEveryCutOfAHead_isAnErrorAndNeverACrash() {
        let text = Data("HTTP/1.1 200 OK\r\nA: 1\r\nB: 2\r\n\r\n".utf8)
        for length in 0..<text.count {
            XCTAssertThrowsError(try RawFixture(text.prefix(length), name: "cut.http"), "\(length)")
        }
        // A slice whose indexes do not begin at zero.
        XCTAssertEqual(try RawFixture((Data([0, 0]) + text).dropFirst(2), name: "s.http").headers.count, 2)
    }

    func testExchange_takesHeadFromFileAndLetsTheMockReplaceFields() async throws {
        let plain = try await MockTest.respond(.fixture("errors/rate-limited.http"))
        XCTAssertEqual(plain.status, .tooManyRequests)
        XCTAssertEqual(plain.headers["retry-after"], "2")
        XCTAssertEqual(plain.headers["Content-Type"], "application/json")
        let length = try await plain.data().count
        XCTAssertEqual(plain.headers["Content-Length"], "\(length)")

        let changed = try await MockTest.respond(
            .fixture("errors/rate-limited.HTTP", status: 503, headers: ["RETRY-AFTER": "9"]),
            fixtures: .memory([
                "errors/rate-limited.HTTP": Data("HTTP/2 429\nRetry-After: 2\nX-A: 1\n\n".utf8)
            ]))
        XCTAssertEqual(changed.status, .serviceUnavailable)
        XCTAssertEqual(changed.headers.values(of: "Retry-After"), ["9"])
        XCTAssertEqual(changed.headers["X-A"], "1")
    }
}
