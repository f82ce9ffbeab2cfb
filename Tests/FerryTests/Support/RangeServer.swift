import Ferry
import FerryTesting
import Foundation
import Synchronization

/// Answers as a static file server with ranges does (RFC 9110 §14), and counts the bytes of content that it offers.
final class RangeServer: Sendable {
    let content: Data
    let tag: String?
    /// Guards what was asked: several requests may come at once.
    private let ranges = Mutex<[String?]>([])

    init(_ content: Data, tag: String? = "\"v1\"") {
        self.content = content
        self.tag = tag
    }

    /// The Range fields so far, nil for a request without.
    var asked: [String?] { ranges.withLock { $0 } }

    /// The whole answer.
    @Sendable func answer(_ request: LoopbackRequest) -> LoopbackResponse {
        ranges.withLock { $0.append(request.headers["Range"]) }
        let (status, headers, part) = plan(request)
        return LoopbackResponse.data(part, status: status).headers(headers)
    }

    /// Status, fields and content of the answer.
    func plan(_ request: LoopbackRequest) -> (HTTPStatus, HTTPHeaders, Data) {
        var headers: HTTPHeaders = ["Accept-Ranges": "bytes"]
        if let tag { headers["ETag"] = tag }
        let isSame = request.headers["If-Range"].map { $0 == tag } ?? true
        guard let range = request.headers["Range"], isSame, range.hasPrefix("bytes="), range.hasSuffix("-"),
            let start = Int(range.dropFirst(6).dropLast())
        else { return (.ok, headers, content) }
        guard start < content.count else {
            headers["Content-Range"] = "bytes */\(content.count)"
            return (.rangeNotSatisfiable, headers, Data("<h1>no</h1>".utf8))
        }
        headers["Content-Range"] = "bytes \(start)-\(content.count - 1)/\(content.count)"
        return (.partialContent, headers, Data(content.dropFirst(start)))
    }
}

extension SeededGenerator {
    /// Bytes that no run of equal bytes or shifted copy can be mistaken for.
    mutating func data(count: Int) -> Data {
        var bytes = [UInt8]()
        bytes.reserveCapacity(count + 8)
        while bytes.count < count { withUnsafeBytes(of: next()) { bytes.append(contentsOf: $0) } }
        return Data(bytes.prefix(count))
    }
}
