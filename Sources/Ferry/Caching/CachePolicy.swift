package import Foundation

/// What a private cache may store and reuse (RFC 9111 §3, §4, §5.2; RFC 5861; RFC 8246).
package struct CachePolicy: Hashable, Sendable {
    /// How a lifetime is guessed where the server gives none.
    package var heuristic = Freshness.Heuristic()
    /// How many seconds beyond its lifetime a response may stand in for a failure where the server says nothing.
    package var staleIfError: Double?

    package init() {}

    /// Why a response is not stored.
    package enum Refusal: Hashable, Sendable {
        /// It is partial, a 304 or interim (§3, §3.3).
        case status
        /// The request or the response says no-store (§5.2.1.5, §5.2.2.5).
        case noStore
        /// `must-understand` with a status that is not known (§5.2.2.3).
        case notUnderstood
        /// Nothing allows it (§3): no freshness, no public or private, and a status without heuristics.
        case nothingAllowsIt
        /// Vary is `*` or malformed: it would never match again (§4.1).
        case vary
    }

    /// Why a response is not stored; nil where it is (§3). Whether it is complete only who receives it can know.
    package func refusal(status: HTTPStatus, headers: HTTPHeaders, request: CacheControl) -> Refusal? {
        guard status.code >= 200, status != .partialContent, status != .notModified else { return .status }
        if request.contains("no-store") { return .noStore }
        let control = CacheControl(headers)
        if control.allows("must-understand") {
            guard !status.reasonPhrase.isEmpty else { return .notUnderstood }
        } else if control.contains("no-store") {
            return .noStore
        }
        guard
            status.isHeuristicallyCacheable || control.allows("public") || control.contains("private")
                || control.allowance("max-age") != nil || headers.contains("Expires")
        else { return .nothingAllowsIt }
        guard CacheVariance.names(headers) != nil else { return .vary }
        return nil
    }

    /// What becomes of a stored response that matches a request (§4).
    package enum Reuse: Hashable, Sendable {
        /// It answers.
        case fresh
        /// It answers although it is stale, and is validated meanwhile where that is asked for (RFC 5861 §3).
        case stale(revalidates: Bool)
        /// It must be validated first.
        case validate
    }

    /// What becomes of a stored response.
    package func reuse(_ entry: CacheEntry.Head, for request: CacheControl, at now: Date) -> Reuse {
        let control = entry.control
        if request.contains("no-cache") || control.noCache == .response { return .validate }
        let freshness = freshness(of: entry)
        let age = freshness.age(at: now)
        let maxAge = request.seconds("max-age")
        let minFresh = request.seconds("min-fresh")
        if freshness.isFresh(at: now) {
            if let maxAge, !maxAge.allows(age), !control.allows("immutable") { return .validate }
            switch minFresh {
            case .value(let seconds)? where freshness.lifetime - age < Double(seconds): return .validate
            case .invalid?: return .validate
            default: return .fresh
            }
        }
        // §5.2.2.2: not even where the client would take it.
        guard now >= entry.responseDate, !control.contains("must-revalidate"), minFresh == nil,
            maxAge?.allows(age) ?? true
        else { return .validate }
        let staleness = freshness.staleness(at: now)
        if let limit = request.maxStale { return staleness <= Double(limit) ? .stale(revalidates: false) : .validate }
        if maxAge == nil, let window = control.allowance("stale-while-revalidate"), staleness <= Double(window) {
            return .stale(revalidates: true)
        }
        return .validate
    }

    /// Whether a stored response may stand in for a failure (§4.2.4; RFC 5861 §4).
    package func standsIn(_ entry: CacheEntry.Head, for request: CacheControl, at now: Date) -> Bool {
        let control = entry.control
        guard !control.contains("must-revalidate"), control.noCache != .response, !request.contains("no-cache"),
            now >= entry.responseDate
        else { return false }
        let windows = [
            control.allowance("stale-if-error").map(Double.init), request.allowance("stale-if-error").map(Double.init),
            staleIfError,
        ]
        guard let window = windows.compactMap({ $0 }).max() else { return false }
        return freshness(of: entry).staleness(at: now) <= window
    }

    package func freshness(of entry: CacheEntry.Head) -> Freshness {
        Freshness(
            status: entry.status, headers: entry.headers, requestDate: entry.requestDate,
            responseDate: entry.responseDate, heuristic: heuristic, control: entry.control)
    }
}

extension CacheControl.Seconds {
    /// Whether an age is within the seconds; nothing is within what cannot be read.
    fileprivate func allows(_ age: Double) -> Bool {
        if case .value(let seconds) = self { age <= Double(seconds) } else { false }
    }
}

extension CacheControl {
    /// The directives of a request; where it has none, `Pragma: no-cache` counts as `no-cache` (RFC 7234 §5.4, which
    /// RFC 9111 only keeps for old senders).
    package init(request headers: HTTPHeaders) {
        let lines = headers.values(of: "Cache-Control")
        let isOld =
            lines.isEmpty
            && headers.values(of: "Pragma").contains { FieldSyntax.equalIgnoringCase($0, "no-cache") }
        self.init(isOld ? ["no-cache"] : lines)
    }
}

extension NetworkError {
    /// Whether the failure is one for which a stale response may stand in: the server could not be reached or did not
    /// answer (RFC 5861 §4), or a step below met such a status, as a refresh does. Not where it is not trusted, nor where
    /// the call was cancelled or is at fault itself.
    package var allowsStaleResponse: Bool {
        switch kind {
        case .cannotConnect, .cannotFindHost, .connectionLost, .offline, .malformedResponse, .network, .timeout: true
        case .server: status?.allowsStaleResponse ?? false
        default: false
        }
    }
}

extension HTTPStatus {
    /// Whether a stale response may stand in for one of this status (RFC 5861 §4).
    package var allowsStaleResponse: Bool {
        switch code {
        case 500, 502, 503, 504: true
        default: false
        }
    }
}
