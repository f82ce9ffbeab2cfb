import Ferry
import Foundation
import XCTest

@testable import FerryTesting

final class RequestParserTests: XCTestCase {
    /// All that the parser said about an input: pieces of one body joined, since their cut depends on the split.
    private struct Outcome: Equatable {
        var heads: [RequestHead] = []
        var bodies: [String] = []
        var trailers: [HTTPHeaders] = []
        var failure: RequestFailure?
    }

    private func parse(_ pieces: [[UInt8]], headLimit: Int = 64 * 1024) -> Outcome {
        var parser = RequestParser(headLimit: headLimit)
        var outcome = Outcome()
        var body = Data()
        for piece in pieces {
            piece.withUnsafeBytes { parser.append($0) }
            do throws(RequestFailure) {
                while let event = try parser.next() {
                    switch event {
                    case .head(let head): outcome.heads.append(head)
                    case .body(let data): body.append(data)
                    case .end(let trailers):
                        outcome.bodies.append(String(decoding: body, as: UTF8.self))
                        outcome.trailers.append(trailers)
                        body = Data()
                    }
                }
            } catch {
                outcome.failure = error
                return outcome
            }
        }
        return outcome
    }

    /// The outcome of the whole input, checked to be the same at every split into two and byte by byte.
    private func outcome(of text: String, line: UInt = #line) -> Outcome {
        let bytes = Array(text.utf8)
        let whole = parse([bytes])
        for split in 0...bytes.count {
            let halves = parse([Array(bytes[..<split]), Array(bytes[split...])])
            XCTAssertEqual(halves, whole, "split at \(split) of \(text.debugDescription)", line: line)
        }
        XCTAssertEqual(parse(bytes.map { [$0] }), whole, "byte by byte: \(text.debugDescription)", line: line)
        return whole
    }

    func testWellFormedRequests_atEverySplit() {
        // Section, input, framings, bodies.
        let rows: [(String, String, [LoopbackRequest.Framing], [String])] = [
            ("RFC 9112 §3", "GET / HTTP/1.1\r\nHost: a\r\n\r\n", [.none], [""]),
            ("§2.2 empty line first", "\r\n\r\nGET / HTTP/1.1\r\nHost: a\r\n\r\n", [.none], [""]),
            ("§3.2.2 absolute form", "GET http://a/b HTTP/1.1\r\nHost: a\r\n\r\n", [.none], [""]),
            ("§3.2.4 asterisk form", "OPTIONS * HTTP/1.1\r\nHost: a\r\n\r\n", [.none], [""]),
            ("HTTP/1.0 without Host", "GET / HTTP/1.0\r\n\r\n", [.none], [""]),
            ("§6.2", "POST / HTTP/1.1\r\nHost: a\r\ncontent-LENGTH: 3\r\n\r\nabc", [.contentLength(3)], ["abc"]),
            ("§6.2 zero", "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\n\r\n", [.contentLength(0)], [""]),
            (
                "§7.1",
                "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n"
                    + "3\r\nabc\r\n00A;n=\"v\"\r\n0123456789\r\n0\r\n\r\n", [.chunked], ["abc0123456789"]
            ),
            (
                "§7.1.2 trailers",
                "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: CHUNKED\r\n\r\n"
                    + "1\r\n\r\r\n0\r\nA: b\r\nC: d\r\n\r\n", [.chunked], ["\r"]
            ),
            (
                "§9.3.2 pipelined",
                "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\n\r\nx"
                    + "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n1\r\ny\r\n0\r\n\r\n"
                    + "GET / HTTP/1.1\r\nHost: a\r\n\r\n", [.contentLength(1), .chunked, .none], ["x", "y", ""]
            ),
        ]
        for (section, text, framings, bodies) in rows {
            let outcome = outcome(of: text)
            XCTAssertNil(outcome.failure, section)
            XCTAssertEqual(outcome.heads.map(\.framing), framings, section)
            XCTAssertEqual(outcome.bodies, bodies, section)
        }
    }

    func testFields_keepOrderAndSpellingAndLoseOuterWhitespace() {
        let outcome = outcome(of: "GET / HTTP/1.1\r\nHoSt:a\r\nx-B: \t v  w \t\r\nX-b:\r\nÜ: 1\r\n\r\n")
        XCTAssertEqual(outcome.failure?.status, 400, "a name that is no token")
        let good = self.outcome(of: "GET / HTTP/1.1\r\nHoSt:a\r\nx-B: \t v  w \t\r\nX-b:\r\nY: ü\r\n\r\n")
        XCTAssertEqual(good.heads.first?.headers.fields.map(\.name), ["HoSt", "x-B", "X-b", "Y"])
        XCTAssertEqual(good.heads.first?.headers.fields.map(\.value), ["a", "v  w", "", "ü"])
    }

    func testTrailers_areFieldsOfTheEnd() {
        let text = "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n0\r\nA: b\r\nC: d\r\n\r\n"
        XCTAssertEqual(outcome(of: text).trailers, [["A": "b", "C": "d"]])
    }

    func testMalformedRequests_areRefusedAtEverySplit() {
        let post = "POST / HTTP/1.1\r\nHost: a\r\n"
        let chunked = post + "Transfer-Encoding: chunked\r\n\r\n"
        // Section, input, status.
        let rows: [(String, String, Int)] = [
            ("RFC 9112 §3 two parts", "GET /\r\n\r\n", 400),
            ("§3 two spaces", "GET  / HTTP/1.1\r\nHost: a\r\n\r\n", 400),
            ("§3 space in target", "GET /a b HTTP/1.1\r\nHost: a\r\n\r\n", 400),
            ("§3.1 method", "G(T / HTTP/1.1\r\nHost: a\r\n\r\n", 400),
            ("RFC 9110 §9.1 case", "get / HTTP/1.1\r\nHost: a\r\n\r\n", 501),
            ("§3.2 target", "GET a HTTP/1.1\r\nHost: a\r\n\r\n", 400),
            ("§3.2 target bytes", "GET /ü HTTP/1.1\r\nHost: a\r\n\r\n", 400),
            ("§2.3 version", "GET / HTTP/2.0\r\nHost: a\r\n\r\n", 505),
            ("§2.3 version", "GET / http/1.1\r\nHost: a\r\n\r\n", 400),
            ("§2.2 bare LF", "GET / HTTP/1.1\nHost: a\n\n", 400),
            ("§2.2 bare LF later", "GET / HTTP/1.1\r\nHost: a\n\r\n", 400),
            ("§2.2 bare CR", "GET / HTTP/1.1\r\nHost: a\rb\r\n\r\n", 400),
            ("§3.2 no Host", "GET / HTTP/1.1\r\n\r\n", 400),
            ("§3.2 two Hosts", "GET / HTTP/1.1\r\nHost: a\r\nhost: a\r\n\r\n", 400),
            ("§5.1 space before colon", "GET / HTTP/1.1\r\nHost : a\r\n\r\n", 400),
            ("§5.2 folding", "GET / HTTP/1.1\r\nHost: a\r\n b\r\n\r\n", 400),
            ("§5 no colon", "GET / HTTP/1.1\r\nHost\r\n\r\n", 400),
            ("§5 empty name", "GET / HTTP/1.1\r\n: a\r\n\r\n", 400),
            ("RFC 9110 §5.5 NUL", "GET / HTTP/1.1\r\nHost: a\u{0}\r\n\r\n", 400),
            ("§6.2 sign", post + "Content-Length: +1\r\n\r\n", 400),
            ("§6.2 empty", post + "Content-Length:\r\n\r\n", 400),
            ("§6.2 list", post + "Content-Length: 1, 1\r\n\r\n", 400),
            ("§6.2 twice", post + "Content-Length: 1\r\nContent-Length: 1\r\n\r\n", 400),
            ("§6.2 overflow", post + "Content-Length: 99999999999999999999\r\n\r\n", 400),
            ("§6.1 both framings", post + "Content-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n", 400),
            ("§6.1 other coding", post + "Transfer-Encoding: gzip, chunked\r\n\r\n", 501),
            ("§6.1 HTTP/1.0", "POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n", 400),
            ("§7.1 no size", chunked + "\r\n", 400),
            ("§7.1 bad size", chunked + "xyz\r\n", 400),
            ("§7.1 huge size", chunked + "1000000000000000\r\n", 400),
            ("§7.1 after the size", chunked + "1 z\r\na\r\n", 400),
            ("§7.1 size line in LF", chunked + "1\na\r\n", 400),
            ("§7.1 longer than its size", chunked + "1\r\nab\r\n", 400),
            ("§7.1 data ends in CR alone", chunked + "1\r\na\rb", 400),
            ("§7.1.2 bad trailer", chunked + "0\r\nbad\r\n\r\n", 400),
        ]
        for (section, text, status) in rows {
            XCTAssertEqual(outcome(of: text).failure?.status.code, status, "\(section): \(text.debugDescription)")
        }
    }

    func testHeadLimit_refusesLongerHeads() {
        let head = "GET / HTTP/1.1\r\nHost: a\r\n\r\n"
        XCTAssertNil(parse([Array(head.utf8)], headLimit: head.utf8.count).failure)
        XCTAssertEqual(parse([Array(head.utf8)], headLimit: head.utf8.count - 1).failure?.status.code, 431)
        XCTAssertEqual(parse(head.utf8.map { [$0] }, headLimit: head.utf8.count - 1).failure?.status.code, 431)
    }

    func testFailure_isSaidAgain() {
        var parser = RequestParser()
        Array("nonsense\r\n\r\n".utf8).withUnsafeBytes { parser.append($0) }
        for _ in 0..<2 { XCTAssertThrowsError(try parser.next()) }
    }

    func testRandomBytes_neverTrap() {
        var generator = SystemRandomNumberGenerator()
        let alphabet = Array("GET / HTTP/1.1\r\n\r\nHost: a0123;:\u{0}".utf8)
        for _ in 0..<500 {
            let bytes = (0..<200).map { _ in alphabet[Int.random(in: 0..<alphabet.count, using: &generator)] }
            let prefix =
                Bool.random() ? Array("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n".utf8) : []
            XCTAssertEqual(parse([prefix + bytes]), parse((prefix + bytes).map { [$0] }))
        }
    }
}
