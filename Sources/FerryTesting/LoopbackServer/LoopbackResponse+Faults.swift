public import Ferry
public import Foundation

/// Responses that go wrong. Each is one way in which servers and networks fail.
extension LoopbackResponse {
    /// The connection closes without a byte.
    public static var closed: LoopbackResponse { raw(Data(), then: .close) }

    /// The connection is reset without a byte.
    public static var reset: LoopbackResponse { raw(Data(), then: .reset) }

    /// No answer ever comes: the connection stays open until the client closes it or the server stops.
    public static var stalled: LoopbackResponse { raw(Data(), then: .keepOpen) }

    /// Something that is no HTTP.
    public static var garbage: LoopbackResponse { raw("\u{1}\u{2}garbage, not HTTP\r\n\r\n") }

    /// A 200 with a head of at least that many bytes, in lines of at most 8 KiB.
    public static func hugeHead(byteCount: Int) -> LoopbackResponse {
        var response = LoopbackResponse.text("ok")
        var rest = max(byteCount, 1)
        while rest > 0 {
            response.headers.append("X-Padding", String(repeating: "a", count: min(rest, 8 * 1024)))
            rest -= 8 * 1024
        }
        return response
    }

    /// A chunked response whose second chunk has a size that is no number.
    public static var badChunkSize: LoopbackResponse {
        unframed("5\r\nfirst\r\nxyz\r\nsecond\r\n0\r\n\r\n", headers: ["Transfer-Encoding": "chunked"])
    }

    /// A chunked response that ends without the last chunk: the connection closes after the given ones.
    public static func missingLastChunk(_ chunks: [String]) -> LoopbackResponse {
        let body = chunks.map { String($0.utf8.count, radix: 16) + "\r\n" + $0 + "\r\n" }.joined()
        return unframed(body, headers: ["Transfer-Encoding": "chunked"])
    }

    /// A well-formed head, then bytes to which no framing is added.
    ///
    /// - Parameters:
    ///   - body: What follows the head.
    ///   - headers: The head's fields; none is added.
    ///   - ending: What happens then. Default: the connection is closed.
    public static func unframed(
        _ body: String, headers: HTTPHeaders, then ending: Ending = .close
    ) -> LoopbackResponse {
        LoopbackResponse(headers: headers, body: .unframed(Data(body.utf8)), ending: ending)
    }

    /// A response with two Content-Length lines that differ (RFC 9110 §8.6).
    public static func conflictingLengths(_ text: String) -> LoopbackResponse {
        let count = text.utf8.count
        return unframed(text, headers: ["Content-Length": "\(count)", "content-length": "\(count + 1)"])
    }

    /// A redirect to itself: every request is answered with the target it asked for.
    public static func redirectLoop(_ request: LoopbackRequest, status: HTTPStatus = .found) -> LoopbackResponse {
        redirect(to: request.target, status: status)
    }

    /// Content in gzip coding (RFC 1952), correct unless cut.
    ///
    /// - Parameters:
    ///   - content: The content before coding.
    ///   - keeping: How many bytes of the coded form are sent; nil, the default, sends all. The Content-Length is that
    ///     of what is sent, so that only the coding is wrong.
    ///   - contentType: The media type. Default `application/octet-stream`.
    public static func gzip(
        _ content: Data, keeping: Int? = nil, contentType: MediaType? = .octetStream
    ) -> LoopbackResponse {
        let coded = Gzip.stored(content)
        return data(keeping.map { coded.prefix($0) } ?? coded, contentType: contentType)
            .header("Content-Encoding", "gzip")
    }

    /// This response claiming another Content-Length than it has; the connection closes after it.
    ///
    /// Shorter: the client may take the rest for the start of the next response. Longer: it waits for more and sees
    /// the end.
    public func claiming(contentLength: Int) -> LoopbackResponse {
        with {
            $0.headers["Content-Length"] = String(contentLength)
            $0.ending = $0.ending ?? .close
        }
    }

    /// This response cut after a number of bytes, the head's bytes included.
    ///
    /// - Parameters:
    ///   - byteCount: How many bytes are sent, from 0. A response that is shorter is sent whole, with the same ending.
    ///   - ending: What happens then. Default: the connection is closed.
    public func cut(after byteCount: Int, then ending: Ending = .close) -> LoopbackResponse {
        with {
            $0.limit = max(byteCount, 0)
            $0.ending = ending
        }
    }

    /// This response after an informational one (RFC 9110 §15.2), such as 100 or 103. May be repeated.
    public func preceded(by status: HTTPStatus, headers: HTTPHeaders = [:]) -> LoopbackResponse {
        with { $0.interim.append(Interim(status: status, headers: headers)) }
    }

    /// This response a few bytes at a time, each piece in a packet of its own where the system allows.
    ///
    /// - Parameters:
    ///   - byteCount: Bytes a piece, at least 1.
    ///   - pacing: What to wait for between two pieces. Default: the other tasks get a turn.
    public func trickled(
        _ byteCount: Int = 1, pacing: @escaping @Sendable () async throws -> Void = { await Task.yield() }
    ) -> LoopbackResponse {
        with { $0.pace = Pace(byteCount: max(byteCount, 1), wait: pacing) }
    }
}
