package import Foundation

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#elseif canImport(Android)
    import Android
#endif

/// Reads a body of several pieces as one run of bytes of exactly the length that was announced.
///
/// A file is opened when it is reached and closed at its end, so that a form of thousands of files holds one descriptor.
/// It is read at offsets up to its announced length: what it has grown by is not sent, and what it lacks is an error.
package struct UploadReader: Sendable {
    /// A part of the run.
    package enum Piece: Sendable {
        case data(Data)
        case file(URL, length: Int64)
        /// What a stream gave, in an unlinked temporary file.
        case spool(SpillFile, offset: Int64, length: Int64)

        var length: Int64 {
            switch self {
            case .data(let data): Int64(data.count)
            case .file(_, let length), .spool(_, _, let length): length
            }
        }
    }

    /// The pieces, in order.
    let pieces: [Piece]
    /// Length of all pieces in bytes.
    package let length: Int64
    /// Bytes read so far.
    private(set) var position: Int64 = 0

    private var index = 0
    /// Bytes read of the current piece.
    private var offset: Int64 = 0
    private var file: UploadFile?

    package init(_ pieces: [Piece]) {
        self.pieces = pieces
        length = pieces.reduce(0) { $0 + $1.length }
    }

    /// Reads bytes into a buffer, across pieces, until it is full or the body is at its end.
    ///
    /// - Returns: How many; 0 at the end alone.
    /// - Throws: `NetworkError` of kind `invalidBody` where a file is missing, is no regular file or is shorter than
    ///   announced; `file` where a spool cannot be read.
    package mutating func read(into buffer: UnsafeMutableRawBufferPointer) throws(NetworkError) -> Int {
        var filled = 0
        while filled < buffer.count, index < pieces.count {
            let piece = pieces[index]
            let wanted = Int(min(Int64(buffer.count - filled), piece.length - offset))
            guard wanted > 0 else {
                advance()
                continue
            }
            let count = try read(
                piece, into: UnsafeMutableRawBufferPointer(rebasing: buffer[filled..<filled + wanted]))
            filled += count
            offset += Int64(count)
            position += Int64(count)
        }
        return filled
    }

    private mutating func advance() {
        index += 1
        offset = 0
        file = nil
    }

    private mutating func read(
        _ piece: Piece, into buffer: UnsafeMutableRawBufferPointer
    ) throws(NetworkError) -> Int {
        switch piece {
        case .data(let data):
            // The indices of a slice of data do not begin at zero.
            let start = data.startIndex + Int(offset)
            data.copyBytes(to: buffer, from: start..<start + buffer.count)
            return buffer.count
        case .file(let url, let length):
            let opened = if let file { file } else { try UploadFile(url, length: length) }
            file = opened
            return try opened.read(into: buffer, at: offset)
        case .spool(let spool, let start, _):
            return try spool.read(into: buffer, at: start + offset)
        }
    }
}

/// An open file that is being sent.
private final class UploadFile: Sendable {
    private let descriptor: Int32
    private let name: String

    /// Opens a file of at least a length.
    init(_ url: URL, length: Int64) throws(NetworkError) {
        name = url.lastPathComponent
        // O_NONBLOCK: what was a file when it was checked may be a pipe by now, and opening that would block.
        descriptor = open(url.path(percentEncoded: false), O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else {
            throw NetworkError(.invalidBody, "The body's file \(name) cannot be opened any more")
        }
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            throw NetworkError(.invalidBody, "The body's file \(name) is no regular file any more")
        }
        guard Int64(status.st_size) >= length else { throw shrunk }
    }

    deinit { close(descriptor) }

    func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int64) throws(NetworkError) -> Int {
        while true {
            let count = pread(descriptor, buffer.baseAddress, buffer.count, off_t(offset))
            if count > 0 { return count }
            if count == 0 { throw shrunk }
            guard errno == EINTR else {
                throw NetworkError(
                    .invalidBody, "The body's file \(name) cannot be read: \(String(cString: strerror(errno)))")
            }
        }
    }

    private var shrunk: NetworkError {
        NetworkError(.invalidBody, "The body's file \(name) became shorter while it was sent")
    }
}
