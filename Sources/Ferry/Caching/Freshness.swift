package import Foundation

/// How long a stored response is fresh, and how old it is (RFC 9111 §4.2). In seconds.
package struct Freshness: Hashable, Sendable {
    /// How a lifetime is guessed where the server gives none (§4.2.2).
    package struct Heuristic: Hashable, Sendable {
        /// The part of the time since the last modification.
        package var fraction = 0.1
        /// The longest guess.
        package var limit = 86_400.0

        package init() {}

        package init(fraction: Double, limit: Double) {
            self.fraction = fraction
            self.limit = limit
        }
    }

    /// For how long the response is fresh.
    package let lifetime: Double
    /// Whether the server said so.
    package let isExplicit: Bool
    /// Its age when it came (§4.2.3, corrected_initial_age).
    package let initialAge: Double
    private let responseDate: Date

    /// - Parameters:
    ///   - status: The status of the response.
    ///   - headers: Its fields.
    ///   - requestDate: When the request was made.
    ///   - responseDate: When the response came.
    ///   - heuristic: How a lifetime is guessed.
    ///   - control: Its Cache-Control, where that was read before.
    package init(
        status: HTTPStatus, headers: HTTPHeaders, requestDate: Date, responseDate: Date,
        heuristic: Heuristic = Heuristic(), control: CacheControl? = nil
    ) {
        self.responseDate = responseDate
        // A missing or broken Date is the time of receipt (RFC 9110 §6.6.1).
        let date = Self.date("Date", headers, now: responseDate) ?? responseDate
        let control = control ?? CacheControl(headers)
        if let maxAge = control.seconds("max-age") {
            isExplicit = true
            // One that cannot be read leaves the response stale (§4.2.1).
            if case .value(let seconds) = maxAge { lifetime = Double(seconds) } else { lifetime = 0 }
        } else if headers.contains("Expires") {
            isExplicit = true
            // A broken date, "0" above all, is in the past (§5.3).
            lifetime =
                Self.date("Expires", headers, now: responseDate).map { max(0, $0.timeIntervalSince(date)) } ?? 0
        } else {
            isExplicit = false
            lifetime = Self.guess(status, headers, control, date, heuristic, now: responseDate)
        }
        let apparentAge = max(0, responseDate.timeIntervalSince(date))
        let delay = max(0, responseDate.timeIntervalSince(requestDate))
        initialAge = max(apparentAge, Double(Self.age(headers) ?? 0) + delay)
    }

    /// How old the response is (§4.2.3, current_age).
    package func age(at now: Date) -> Double { initialAge + max(0, now.timeIntervalSince(responseDate)) }

    /// By how much its lifetime is over; negative while it is fresh.
    package func staleness(at now: Date) -> Double { age(at: now) - lifetime }

    /// Whether it is fresh. Where the clock was set back behind the receipt, nobody knows.
    package func isFresh(at now: Date) -> Bool { now >= responseDate && lifetime > age(at: now) }

    /// The Age field: the first element of a list counts (§5.1), what is no number is ignored.
    private static func age(_ headers: HTTPHeaders) -> Int? {
        guard let line = headers.values(of: "Age").first else { return nil }
        let first = line.utf8.prefix { $0 != UInt8(ascii: ",") }
        return DeltaSeconds.parse(FieldSyntax.trimmed(Substring(first)))
    }

    private static func date(_ name: String, _ headers: HTTPHeaders, now: Date) -> Date? {
        headers.values(of: name).first.flatMap { HTTPDate.parse($0, now: now) }
    }

    private static func guess(
        _ status: HTTPStatus, _ headers: HTTPHeaders, _ control: CacheControl, _ date: Date, _ heuristic: Heuristic,
        now: Date
    ) -> Double {
        guard status.isHeuristicallyCacheable || control.allows("public"),
            let modified = Self.date("Last-Modified", headers, now: now)
        else { return 0 }
        return min(max(0, date.timeIntervalSince(modified)) * heuristic.fraction, heuristic.limit)
    }
}

extension HTTPStatus {
    /// Whether a lifetime may be guessed for responses of this status (RFC 9110 §15.1).
    package var isHeuristicallyCacheable: Bool {
        switch code {
        case 200, 203, 204, 206, 300, 301, 308, 404, 405, 410, 414, 501: true
        default: false
        }
    }
}
