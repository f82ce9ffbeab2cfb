import Ferry
import Foundation
import Synchronization
import XCTest

/// Secrets that can be recognised wherever they come out, and what was found of them.
final class Canaries: Sendable {
    /// How every secret begins.
    static let mark = "qzcanary"

    /// Guards what was made and found: values come on any thread.
    private let state = Mutex(State())

    private struct State {
        var last = 0
        /// What base64 makes of secrets in credentials.
        var disguises: [String] = []
        var found: [(place: String, name: String, text: String)] = []
    }

    /// A secret of its own. No part of it means anything, so that no rule of redaction knows it by its value.
    func secret(_ place: String) -> String {
        let number = state.withLock { state in
            state.last += 1
            return state.last
        }
        return "\(Self.mark)\(place.filter(\.isLetter))x\(number)x"
    }

    /// A secret that goes out as `user:secret` in base64.
    func password(_ place: String, user: String) -> String {
        let secret = secret(place)
        let disguise = Data("\(user):\(secret)".utf8).base64EncodedString()
        state.withLock { $0.disguises.append(String(disguise.prefix(24))) }
        return secret
    }

    var found: [String] { Set(state.withLock { $0.found }.map(\.place)).sorted() }
    var texts: String { state.withLock { $0.found }.map { "\($0.place): \($0.text)" }.joined(separator: "\n") }

    func assertNone(file: StaticString = #filePath, line: UInt = #line) {
        XCTAssertEqual(found, [], texts, file: file, line: line)
    }

    /// Looks at a value from all sides.
    func check(_ value: some Any, _ place: String) {
        var dumped = ""
        dump(value, to: &dumped)
        check(text: dumped, "\(place), dumped")
        check(text: "\(value)", "\(place), described")
        check(text: String(describing: value), "\(place), described")
        check(text: String(reflecting: value), "\(place), reflected")
        check(text: (value as? any CustomDebugStringConvertible)?.debugDescription ?? "", "\(place), for debugging")
        if let error = value as? any Error {
            check(text: error.localizedDescription, "\(place), localized")
            check(text: (error as NSError).description, "\(place), as NSError")
            check(text: (error as? any LocalizedError)?.failureReason ?? "", "\(place), reason")
        }
        walk(value, place, depth: 0)
    }

    /// What a mirror gives, also where it is bytes, which a dump shows as numbers.
    private func walk(_ value: Any, _ place: String, depth: Int) {
        guard depth < 6 else { return }
        if let bytes = value as? [UInt8] { check(text: String(decoding: bytes, as: UTF8.self), "\(place), bytes") }
        if let data = value as? Data {
            return check(text: String(decoding: data, as: UTF8.self), "\(place), data")
        }
        for child in Mirror(reflecting: value).children {
            check(text: "\(child.label ?? "") \(child.value)", "\(place), mirrored")
            walk(child.value, place, depth: depth + 1)
        }
    }

    /// Looks at text.
    func check(text: String, _ place: String) {
        let disguises = state.withLock { $0.disguises }
        for word in [Self.mark] + disguises {
            guard let range = text.range(of: word) else { continue }
            // Enough to see where.
            let shown = "…\(text[..<range.lowerBound].suffix(120))\(text[range.lowerBound...].prefix(40))"
            let name = text[range.lowerBound...].prefix { $0.isLetter }
            return state.withLock { state in
                // Once for each secret and place, and enough of them.
                guard state.found.count < 40, !state.found.contains(where: { $0.place == place && $0.name == name })
                else { return }
                state.found.append((place, String(name), shown))
            }
        }
    }
}

/// Sees every event of a client.
struct CanaryWatcher: EventMonitor {
    let canaries: Canaries

    func received(_ event: CallEvent, of call: CallContext.ID) { canaries.check(event, "monitor") }
}
