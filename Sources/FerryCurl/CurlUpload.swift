#if os(Linux)
    import CFerryCurl
    import Ferry
    import Foundation
    import Synchronization

    /// A request body in the form that a transfer sends; its length is always known.
    enum CurlUpload: Sendable {
        case none
        /// Small: libcurl copies it and sends it with the head.
        case bytes(Data)
        /// Read by the transfer piece by piece.
        case source(any CurlReader)

        /// Most bytes that are copied.
        static let copyLimit = 64 << 10

        /// Makes a body ready to be sent.
        ///
        /// A stream of unknown length is written to a temporary file first, so that its length is known, and so are the streams
        /// of a form.
        ///
        /// - Throws: `invalidBody`, `bodyNotReplayable`, `cancelled`, `file`, before a byte is sent.
        init(_ body: RequestBody) async throws(NetworkError) {
            switch body.content {
            case .none: self = .none
            case .data(let data):
                self = data.count <= Self.copyLimit ? .bytes(data) : .source(PieceReader([.data(data)]))
            case .file(let url):
                self = .source(PieceReader([.file(url, length: try BodyFile.check(url))]))
            case .stream(let stream):
                if let length = stream.length {
                    self = try await StreamReader.open(stream, length: length)
                } else {
                    self = .source(PieceReader(try await BodySpool.pieces(of: [.stream(stream, length: -1)])))
                }
            case .segments(let body):
                self = .source(PieceReader(try await BodySpool.pieces(of: body.segments)))
            case .value, .multipart:
                throw NetworkError(.encoding, "The body was not encoded before it was sent")
            }
        }

        /// Stops what produces the body.
        func cancel() {
            if case .source(let reader) = self { reader.cancel() }
        }
    }

    /// What a transfer reads its body from, in the loop's turn.
    protocol CurlReader: Sendable {
        /// Bytes in all.
        var length: Int64 { get }

        /// Fills the room as far as it can.
        func read(into room: UnsafeMutableRawBufferPointer) -> CurlRead

        /// Goes back to the first byte.
        ///
        /// - Returns: False where that is impossible.
        func rewind() -> Bool

        /// Sets what is called once there is something to read after `later`; on any thread.
        func onReady(_ notify: @escaping @Sendable () -> Void)

        /// Nobody reads any more.
        func cancel()
    }

    extension CurlReader {
        func onReady(_ notify: @escaping @Sendable () -> Void) {}
        func cancel() {}
    }

    /// What a read gave.
    enum CurlRead {
        /// So many bytes; 0 is the end.
        case bytes(Int)
        /// Nothing yet.
        case later
        case failed(NetworkError)
    }

    /// Bytes in memory and in files, which are always there: a read of the page cache does not hold up the loop.
    private final class PieceReader: CurlReader {
        private let pieces: [UploadReader.Piece]
        let length: Int64
        /// Guards the place of the next read. Only who has the loop's turn reads; a lock says so to the compiler.
        private let reader: Mutex<UploadReader>

        init(_ pieces: [UploadReader.Piece]) {
            let reader = UploadReader(pieces)
            self.pieces = pieces
            length = reader.length
            self.reader = Mutex(reader)
        }

        func read(into room: UnsafeMutableRawBufferPointer) -> CurlRead {
            reader.withLock { reader in
                do throws(NetworkError) {
                    return .bytes(try reader.read(into: room))
                } catch {
                    return .failed(error)
                }
            }
        }

        func rewind() -> Bool {
            reader.withLock { $0 = UploadReader(pieces) }
            return true
        }
    }
#endif
