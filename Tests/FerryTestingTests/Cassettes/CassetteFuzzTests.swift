import Ferry
import Foundation
import XCTest

@testable import FerryTesting

/// Broken cassettes: each gives an error that says what is wrong, or answers what can be read of it. None traps.
final class CassetteFuzzTests: CassetteTestCase, @unchecked Sendable {  // Stores nothing itself.
    private static let rounds = 600

    /// What a reading may end with.
    private static let kinds: Set<NetworkError.Kind> = [
        .mock, .network, .cannotConnect, .cannotFindHost, .connectionLost, .offline, .malformedResponse, .tls, .timeout,
        .bodyTooLarge, .headTooLarge,
    ]

    /// Reads a file and plays every exchange of it.
    private func play(_ content: Data, _ note: String) async throws {
        try write(content)
        do {
            let archive = try HAR.read(file)
            let replay = try replay(keepsTimings: true)
            for (index, entry) in archive.log.entries.enumerated() {
                let recorded = try entry.request.recorded(number: index + 1)
                let request = HTTPRequest(method: recorded.method, url: recorded.url, headers: recorded.headers)
                let context = CallContext(delivery: .streamed, clock: ManualClock(advancesItself: true))
                do throws(NetworkError) {
                    _ = try await replay.send(request, context: context).data()
                } catch {
                    XCTAssertTrue(Self.kinds.contains(error.kind), "\(note): \(error)")
                    XCTAssertFalse(error.message.isEmpty, note)
                }
            }
        } catch let error as NetworkError {
            XCTAssertEqual(error.kind, .mock, "\(note): \(error)")
            XCTAssertTrue(error.message.contains("cassette"), "\(note): \(error)")
        }
    }

    /// What Ferry and a browser wrote.
    private func samples() async throws -> [Data] {
        let mock = MockTransport()
        mock.on(.get, "/s", .chunks([(.seconds(1), Data("a".utf8)), (.seconds(2), Data([0xFF, 0]))]))
        mock.on(.post, "/p", .json(#"{"a": [1, "ü"]}"#, status: 201))
        mock.on(.get, "/dead", .failure(.tls))
        let client = try client(RecordingTransport(to: file, over: mock)) {
            $0.clock = ManualClock(advancesItself: true)
            $0.timeouts = Timeouts(idle: nil)
        }
        for try await _ in try await client.stream(NetworkCall(.get, "/s")).body {}
        _ = try await client.data(NetworkCall(.post, "/p?a=1", body: .data(Data([0xFE, 1]))))
        _ = try? await client.data(NetworkCall(.get, "/dead"))
        return [try Data(contentsOf: Self.browserFile), try Data(contentsOf: file)]
    }

    func testChangedBytes() async throws {
        let samples = try await samples()
        for round in 0..<Self.rounds {
            var random = SeededGenerator(seed: UInt64(round))
            var content = samples[round % samples.count]
            for _ in 0..<Int.random(in: 1...4, using: &random) {
                let place = Int.random(in: 0..<content.count, using: &random)
                let length = min(Int.random(in: 0...8, using: &random), content.count - place)
                let piece: Data =
                    switch Int.random(in: 0...4, using: &random) {
                    case 0: Data((0..<length).map { _ in UInt8.random(in: 0...255, using: &random) })
                    case 1: Data()
                    case 2: Data([UInt8](#"{}[],:"\0-9e.truenull"#.utf8).shuffled(using: &random).prefix(length))
                    case 3: content.prefix(Int.random(in: 0...40, using: &random))
                    default: Data([0xC3, 0x28, 0xED, 0xA0, 0x80, 0xF8].prefix(length))
                    }
                content.replaceSubrange(place..<place + length, with: piece)
            }
            try await play(content, "seed \(round)")
        }
    }

    func testChangedStructure() async throws {
        let samples = try await samples().map { try JSONDecoder().decode(JSON.self, from: $0) }
        for round in 0..<Self.rounds {
            var random = SeededGenerator(seed: UInt64(round))
            var json = samples[round % samples.count]
            for _ in 0..<Int.random(in: 1...3, using: &random) { json = Self.changed(json, &random) }
            try await play(JSONEncoder().encode(json), "seed \(round)")
        }
    }

    /// A copy with one value, somewhere, removed, doubled, renamed or made something else.
    private static func changed(_ json: JSON, _ random: inout SeededGenerator) -> JSON {
        let goesOn = Int.random(in: 0...9, using: &random) > 0
        switch json {
        case .object(var members) where goesOn && !members.isEmpty:
            let key = members.keys.sorted().randomElement(using: &random) ?? ""
            switch Int.random(in: 0...9, using: &random) {
            case 0: members[key] = nil
            case 1: members[key + "_"] = members.removeValue(forKey: key)
            default: members[key] = members[key].map { changed($0, &random) }
            }
            return .object(members)
        case .array(var elements) where goesOn && !elements.isEmpty:
            let index = Int.random(in: 0..<elements.count, using: &random)
            switch Int.random(in: 0...9, using: &random) {
            case 0: elements.remove(at: index)
            case 1: elements.append(elements[index])
            default: elements[index] = changed(elements[index], &random)
            }
            return .array(elements)
        default: return values.randomElement(using: &random) ?? .null
        }
    }

    private static let values: [JSON] = [
        .null, true, false, 0, -1, 1, 200, 99, 1000, 0.5, -7.25, 1e300, -1e300, 1e-300, 9_223_372_036_854_775_807, "",
        "x", "base64",
        "-1", "NaN", "!!!not base64!!!", "A", "AAAA=AAAA", "\u{0}", "\u{FEFF}", "a\r\nb", "ü\u{301}", "http://",
        "http://[", "//a",
        "https://api.example/s", "GET", "HEAD", "text/html; charset=\"", .string(String(repeating: "a/", count: 5000)),
        [], [:], [[]], [nil], ["a": ["b": []]], [[1e300, 1e300], [-1], [0, -5], [2, 3]],
        .array(Array(repeating: ["name": "X", "value": "1"], count: 500)), nested(300),
    ]

    private static func nested(_ depth: Int) -> JSON { (0..<depth).reduce(JSON.null) { value, _ in [value] } }

    func testTextThatIsNoJSON_orMoreThanOne() async throws {
        let samples = try await samples().map { String(decoding: $0, as: UTF8.self) }
        let numbers = [
            "NaN", "Infinity", "-Infinity", "-0", "1e999", "01", "+1", "0x10", "1.", String(repeating: "9", count: 400),
        ]
        for sample in samples {
            for number in numbers {
                for key in ["status", "time", "wait", "size", "bodySize", "headersSize"] {
                    let changed = sample.replacing(try Regex("\"\(key)\" ?: ?[-0-9.]+"), with: "\"\(key)\": \(number)")
                    try await play(Data(changed.utf8), "\(key) \(number)")
                }
            }
            for doubled in ["status", "url", "text", "entries", "headers"] {
                let twice = sample.replacing("\"\(doubled)\"", with: "\"\(doubled)\": null, \"\(doubled)\"")
                try await play(Data(twice.utf8), "\(doubled) twice")
            }
            for (open, close) in [("[", "]"), ("{\"a\":", "}")] {
                let deep = String(repeating: open, count: 5000) + "1" + String(repeating: close, count: 5000)
                try await play(Data(sample.replacing("\"cache\"", with: "\"deep\": \(deep), \"cache\"").utf8), "deep")
            }
            try await play(Data(sample.utf16.flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] }), "UTF-16")
            try await play(Data(sample.unicodeScalars.map { UInt8(truncatingIfNeeded: $0.value) }) + [0xFF], "Latin-1")
            try await play(Data([0xEF, 0xBB, 0xBF]) + Data(sample.utf8), "byte order mark")
            try await play(Data((sample + sample).utf8), "two in one")
        }
        for content in ["", " ", "null", "[]", "7", "{", "\u{0}", "{\"log\": null}", "{\"log\": {\"version\": 1.2}}"] {
            try await play(Data(content.utf8), content)
        }
    }
}
