// Transfers: files in and out: what is sent and written, and what to do about a transfer that broke.
// May name Messages and Pipeline, and no other room. Decisions and parsers are values tested without files and sockets;
// the client runs them.

package import Foundation

/// Decides what a download asks for and what it does with what comes: a pure state machine without files and sockets.
///
///              ┌────────────── restart: forget the partial ──────────────┐
///              v                                                         │
///     request: whole, or from the end of the partial ── head ──> decide ─┼─> write at an offset ── end ──> complete
///              ^                                                         ├─> complete (416 at the end)      │
///              │                                                         └─> refuse, fail                   │
///              └────────────────────────── a shorter range than asked for ─────────────────────────────────┘
package struct DownloadStateMachine: Sendable {
    /// What to ask for.
    package enum Plan: Hashable, Sendable {
        /// The whole representation, without Range.
        case whole
        /// From a position on, if the representation is still the one with this validator.
        case range(from: Int64, ifRange: String)
    }

    /// What to do about a response's head.
    package enum Action: Hashable, Sendable {
        /// Cut the file to `offset` bytes and write the content from there on.
        case write(at: Int64)
        /// The file is complete as it is; the content of this response is none of it.
        case complete
        /// Forget the partial file and ask again, for the whole.
        case restart
        /// Not a response to a download: its status is to be judged as that of any call.
        case judge
        /// The response contradicts the request.
        case fail(NetworkError.Kind, String)
    }

    /// What to do after the content of a response.
    package enum After: Hashable, Sendable {
        case complete
        /// Ask for the rest.
        case proceed
        case fail(NetworkError.Kind, String)
    }

    private let url: URL
    private let mayResume: Bool
    private var plan = Plan.whole
    /// Where the content of the current response ends, exclusive, where that is known.
    private var end: Int64?
    private var start: Int64 = 0

    /// What is known of the partial file; nil where it cannot be resumed.
    package private(set) var record: DownloadRecord?
    /// Bytes of the file that are there.
    package private(set) var position: Int64
    /// Bytes of the whole file, where known.
    package private(set) var total: Int64?
    /// Bytes that an earlier run left and that count.
    package private(set) var resumedFrom: Int64 = 0

    /// - Parameters:
    ///   - url: The URL that is asked for.
    ///   - record: What is known of the partial file, or nil.
    ///   - length: Bytes of the partial file.
    ///   - mayResume: Whether ranges may be used at all.
    package init(url: URL, record: DownloadRecord?, length: Int64, mayResume: Bool = true) {
        self.url = url
        self.mayResume = mayResume
        if mayResume, length > 0, let record, record.fits(url), record.total.map({ length <= $0 }) ?? true {
            self.record = record
            position = length
            total = record.total
            resumedFrom = length
        } else {
            position = 0
        }
    }

    /// Whether what was written is worth keeping after a failure.
    package var isResumable: Bool { record != nil && position > 0 }

    /// What to ask for now.
    package mutating func request() -> Plan {
        if position > 0, let record {
            plan = .range(from: position, ifRange: record.validator)
        } else {
            forget()
            plan = .whole
        }
        return plan
    }

    /// A response's head came.
    package mutating func receive(_ head: HTTPResponse.Head, now: Date) -> Action {
        switch (plan, head.status) {
        case (.range(let from, _), .partialContent): return receivePart(head, from: from)
        case (.range(let from, _), .rangeNotSatisfiable): return receiveUnsatisfiable(head, from: from)
        case (.whole, .partialContent):
            return .fail(.malformedResponse, "The server answered with a part of the file, and the whole was asked for")
        case (_, let status) where status.isSuccess:
            // Also the answer to a range request whose validator no longer holds, or by a server without ranges.
            forget()
            plan = .whole
            if mayResume { record = DownloadRecord(head, url: url, now: now) }
            total = head.contentLength
            end = total
            return .write(at: 0)
        default: return .judge
        }
    }

    /// The call accepts a response that was to be judged: its content is the file.
    package mutating func accept(_ head: HTTPResponse.Head) {
        forget()
        plan = .whole
        total = head.contentLength
        end = total
    }

    /// Bytes of the content were written.
    package mutating func wrote(_ count: Int) { position += Int64(count) }

    /// The content of the response is complete.
    package func finish() -> After {
        if let end, position < end {
            return .fail(.connectionLost, "The response ended after \(position - start) of \(end - start) bytes")
        }
        if isTooLong { return .fail(.malformedResponse, "The response has more bytes than it announced") }
        switch plan {
        case .whole:
            return .complete
        case .range:
            if let total { return position == total ? .complete : .proceed }
            return .proceed
        }
    }

    /// Whether the response gave more bytes than it announced.
    package var isTooLong: Bool { end.map { position > $0 } ?? false }

    /// Begins anew: what was written counts for nothing.
    package mutating func forget() {
        record = nil
        position = 0
        total = nil
        end = nil
        start = 0
        resumedFrom = 0
    }

    private mutating func receivePart(_ head: HTTPResponse.Head, from: Int64) -> Action {
        // No Content-Range: also multipart/byteranges, which is no answer to one range (RFC 9110 §15.3.7.2).
        guard let record, !head.isEncoded, head.contentType?.essence != "multipart/byteranges",
            let field = head.headers["Content-Range"].flatMap({ ContentRange($0) }), let range = field.range,
            record.isSameVersion(as: head.headers)
        else { return restart() }
        // A gap cannot be filled, and another length is another file.
        guard range.lowerBound <= from, range.upperBound >= from else { return restart() }
        if let known = total, let told = field.total, known != told { return restart() }
        if let length = head.contentLength, length != range.upperBound - range.lowerBound + 1 {
            return .fail(.malformedResponse, "The Content-Length of a part is not that of its Content-Range")
        }
        total = field.total ?? total
        self.record?.total = total
        start = range.lowerBound
        end = range.upperBound + 1
        if let total, range.upperBound >= total { return restart() }
        position = start
        resumedFrom = min(resumedFrom, start)
        return .write(at: start)
    }

    private mutating func receiveUnsatisfiable(_ head: HTTPResponse.Head, from: Int64) -> Action {
        guard let record, let field = head.headers["Content-Range"].flatMap({ ContentRange($0) }),
            field.range == nil, let length = field.total, length == from, total.map({ $0 == length }) ?? true,
            record.isSameVersion(as: head.headers)
        else { return restart() }
        total = length
        return .complete
    }

    private mutating func restart() -> Action {
        forget()
        return .restart
    }
}
