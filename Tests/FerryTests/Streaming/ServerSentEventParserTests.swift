import Ferry
import FerryTesting
import XCTest

final class ServerSentEventParserTests: XCTestCase {
    func testSSE01_onlyTheFirstByteOrderMarkIsRemoved() throws { try check("SSE-01") }
    func testSSE02_aCRLFCutInTwoIsOneLineEnd() throws { try check("SSE-02") }
    func testSSE03_aLoneCREndsLines() throws { try check("SSE-03") }
    func testSSE04_aCharacterCutInTwoStaysWhole() throws { try check("SSE-04") }
    func testSSE05_unicodeSeparatorsAreContent() throws { try check("SSE-05") }
    func testSSE06_anUnfinishedEventIsDiscarded() throws { try check("SSE-06") }
    func testSSE07_fieldsWithoutColonAndEmptyData() throws { try check("SSE-07") }
    func testSSE09_anIDWithoutDataIsRemembered() throws { try check("SSE-09") }
    func testSSE10_retryIsASCIIDigits() throws { try check("SSE-10") }
    func testSSE12_theTypeIsResetAfterEachEvent() throws { try check("SSE-12") }
    func testSSE13_malformedUTF8IsReplaced() throws { try check("SSE-13") }

    /// Runs a row with its own pieces, then cut at every point.
    private func check(_ id: String) throws {
        let row = try ConformanceCase.load(id, area: "sse")
        let chunks = try row.chunks()
        let bytes = Array(chunks.joined())
        let cuts = bytes.indices.map { [Array(bytes[..<$0]), Array(bytes[$0...])] }
        for pieces in [chunks, bytes.map { [$0] }] + cuts {
            var parser = ServerSentEventParser()
            var events: [ServerSentEvent] = []
            for piece in pieces {
                parser.append(piece)
                while let event = try parser.next() { events.append(event) }
            }
            parser.finish()
            while let event = try parser.next() { events.append(event) }
            let expected = row.expected["events"].array
            XCTAssertEqual(events.map(\.event), expected.map { $0["event"].string }, id)
            XCTAssertEqual(events.map(\.data), expected.map { $0["data"].string }, id)
            XCTAssertEqual(events.map(\.id), expected.map { $0["lastEventId"].string }, id)
            XCTAssertEqual(parser.lastEventID, row.expected["lastEventIdAtEnd"].string, id)
            let time = row.expected["reconnectionTimeMs"].int.map { Duration.milliseconds($0) }
            XCTAssertEqual(parser.reconnectionTime, time, id)
        }
    }

    func testEvents_followTheStandard() {
        typealias Event = ServerSentEvent
        let rows: [(String, String, [Event])] = [
            ("9.2.6 example 1", "data: YHOO\ndata: +2\ndata: 10\n\n", [Event(data: "YHOO\n+2\n10")]),
            (
                "9.2.6 example 2",
                ": test stream\n\ndata: first event\nid: 1\n\ndata:second event\nid\n\ndata:  third event\n\n",
                [Event(data: "first event", id: "1"), Event(data: "second event"), Event(data: " third event")]
            ),
            ("9.2.6 example 3", "data\n\ndata\ndata\n\ndata:", [Event(data: ""), Event(data: "\n")]),
            ("9.2.6 example 4", "data:test\n\ndata: test\n\n", [Event(data: "test"), Event(data: "test")]),
            ("one space only", "data:  x\ndata:\ty\n\n", [Event(data: " x\n\ty")]),
            ("names are exact", "Data: x\ndata : y\n data: z\ndatax: a\ndat: b\n\n", []),
            ("colon in value", "data: a:b\n\n", [Event(data: "a:b")]),
            ("type without data", "event: x\n\ndata: y\n\n", [Event(data: "y")]),
            ("empty type", "event: x\nevent\ndata: y\n\n", [Event(data: "y")]),
            ("last type counts", "event: x\nevent: z\ndata: y\n\n", [Event(event: "z", data: "y")]),
            ("NUL in id", "id: 1\nid: 2\0\ndata: y\n\n", [Event(data: "y", id: "1")]),
            ("NUL in data", "data: a\0b\n\n", [Event(data: "a\0b")]),
            ("id lasts", "id: 1\ndata: a\n\ndata: b\n\n", [Event(data: "a", id: "1"), Event(data: "b", id: "1")]),
            (
                "retry", "retry: 5\ndata: a\n\ndata: b\n\nretry: 007\n\ndata: c\n\n",
                [Event(data: "a", retry: .milliseconds(5)), Event(data: "b"), Event(data: "c")]
            ),
            (
                "retry with spaces", "retry:  5\ndata: a\n\nretry: 5 \ndata: b\n\n",
                [Event(data: "a"), Event(data: "b")]
            ),
            ("comments", ":\n:data: x\n::\ndata: y\n: z\n\n", [Event(data: "y")]),
            ("blank lines", "\n\n\r\n\rdata: y\r\n\r\n\n", [Event(data: "y")]),
            ("no end", "data: a\n\nid: 3\ndata: b\n", [Event(data: "a")]),
        ]
        for (name, text, events) in rows {
            assertParses(ServerSentEventParser(), Array(text.utf8), gives: Parsed(elements: events), name)
        }
    }

    func testRetry_beyondAllNumbersIsHeld() throws {
        var parser = ServerSentEventParser()
        parser.append(Array("retry: \(String(repeating: "9", count: 400))\n".utf8))
        XCTAssertNil(try parser.next())
        XCTAssertEqual(parser.reconnectionTime, .milliseconds(1_000_000_000_000))
    }

    func testEvent_isGivenAtTheCRThatEndsIt() throws {
        var parser = ServerSentEventParser()
        parser.append(Array("data: a\r\r".utf8))
        XCTAssertEqual(try parser.next()?.data, "a")
    }

    func testLastEventID_ofAnUnfinishedBlockDoesNotCount() throws {
        var parser = ServerSentEventParser(lastEventID: "1")
        parser.append(Array("data: a\n\nid: 2\ndata: b\n".utf8))
        XCTAssertEqual(try parser.next()?.id, "1")
        parser.finish()
        XCTAssertNil(try parser.next())
        XCTAssertEqual(parser.lastEventID, "1")
    }

    func testEvent_largerThanTheLimitThrows() {
        let parser = ServerSentEventParser(maxEventSize: 10)
        let event = ServerSentEvent(data: "a\nb")
        for text in ["data: 12345678\n", "data:1234\ndata:5678\ndata:9\n\n", ":comment 123", "ignored: 12345\r"] {
            let expected = Parsed(elements: [event], failure: .bodyTooLarge)
            assertParses(parser, Array(("data:a\ndata:b\n\n" + text).utf8), gives: expected, text)
        }
        assertParses(
            parser, Array("data:1234\ndata:56789\n\n".utf8), gives: Parsed(elements: [.init(data: "1234\n56789")]))
    }

    func testFuzz_eventsAgreeWithASlowReference() throws {
        var generator = SeededGenerator(seed: 2)
        for round in 0..<60_000 {
            let bytes = Fuzz.bytes(using: &generator)
            let pieces = Fuzz.cut(bytes, using: &generator)
            var parser = ServerSentEventParser()
            var events: [Reference.Event] = []
            for piece in pieces {
                parser.append(piece)
                while let event = try parser.next() {
                    let retry = event.retry.map { Int($0 / .milliseconds(1)) }
                    events.append(.init(event: event.event, data: event.data, id: event.id, retry: retry))
                }
            }
            parser.finish()
            XCTAssertNil(try parser.next())
            let expected = Reference.events(bytes)
            let time = parser.reconnectionTime.map { Int($0 / .milliseconds(1)) }
            guard
                events != expected.events || parser.lastEventID != expected.lastEventID
                    || time != expected.reconnectionTime
            else { continue }
            return XCTFail("round \(round): \(pieces) gave \(events), not \(expected)")
        }
    }
}
