package import Foundation

/// A body of several pieces whose whole length is known before a byte is sent, such as an encoded multipart form.
public struct BodySegments: Sendable {
    package enum Segment: Sendable {
        case data(Data)
        /// A regular file, of which exactly the first `length` bytes are sent.
        case file(URL, length: Int64)
        /// A stream that yields exactly `length` bytes.
        case stream(BodyStream, length: Int64)

        package var length: Int64 {
            switch self {
            case .data(let data): Int64(data.count)
            case .file(_, let length), .stream(_, let length): length
            }
        }
    }

    /// Pieces in memory up to this size are joined, so that a form of thousands of fields is a few pieces.
    private static let joinedLimit = 64 * 1024

    /// The pieces, in order.
    package private(set) var segments: [Segment] = []

    /// Length of all pieces in bytes.
    public private(set) var length: Int64 = 0

    package init() {}

    /// Whether every piece can be read again.
    public var isReplayable: Bool {
        segments.allSatisfy { if case .stream(let stream, _) = $0 { stream.isReplayable } else { true } }
    }

    /// Adds a piece.
    ///
    /// - Throws: `NetworkError` of kind `invalidBody` where the whole length is beyond 2^63 - 1 bytes.
    package mutating func append(_ segment: Segment) throws(NetworkError) {
        // A stream is opened also where it declares nothing: it may give more.
        if case .stream = segment {} else if segment.length == 0 { return }
        let (sum, isOverflow) = length.addingReportingOverflow(segment.length)
        guard !isOverflow else { throw NetworkError(.invalidBody, "The body's length is beyond what can be counted") }
        length = sum
        if case .data(let data) = segment, data.count <= Self.joinedLimit, case .data(var last)? = segments.last,
            last.count <= Self.joinedLimit
        {
            segments.removeLast()  // So that the bytes are not copied.
            last.append(data)
            segments.append(.data(last))
        } else {
            segments.append(segment)
        }
    }
}

extension BodySegments: CustomStringConvertible, CustomReflectable {
    /// How many bytes, never the bytes.
    public var description: String { "\(length) bytes in pieces" }

    /// What the description shows.
    public var customMirror: Mirror { Mirror(self, children: ["body": description]) }
}
