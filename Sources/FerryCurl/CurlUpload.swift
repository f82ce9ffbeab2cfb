#if os(Linux)
    import CFerryCurl
    import Ferry
    import Foundation

    #if canImport(Glibc)
        import Glibc
    #elseif canImport(Musl)
        import Musl
    #endif

    /// A request body in the form that a transfer sends; its length is always known.
    enum CurlUpload: Sendable {
        case none
        /// Small: libcurl copies it and sends it with the head.
        case bytes(Data)
        /// Read by the transfer piece by piece.
        case source(any UploadReader)

        /// Most bytes that are copied.
        static let copyLimit = 64 << 10

        /// Makes a body ready to be sent.
        ///
        /// A stream of unknown length is written to a temporary file first, so that its length is known.
        ///
        /// - Throws: `invalidBody`, `bodyNotReplayable`, `cancelled`, `file`, before a byte is sent.
        init(_ body: RequestBody) async throws(NetworkError) {
            switch body.content {
            case .none: self = .none
            case .data(let data):
                self = data.count <= Self.copyLimit ? .bytes(data) : .source(DataReader(data))
            case .file(let url):
                self = .source(try FileReader(url, isTemporary: false))
            case .stream(let stream):
                if let length = stream.length {
                    self = try await StreamReader.open(stream, length: length)
                } else {
                    self = .source(try FileReader(try await BodySpool.write(stream), isTemporary: true))
                }
            case .value:
                throw NetworkError(.encoding, "The body was not encoded before it was sent")
            }
        }

        /// Stops what produces the body.
        func cancel() {
            if case .source(let reader) = self { reader.cancel() }
        }
    }

    /// What a transfer reads its body from, on the loop's thread.
    protocol UploadReader: Sendable {
        /// Bytes in all.
        var length: Int64 { get }

        /// Fills the room as far as it can.
        func read(into room: UnsafeMutableRawBufferPointer) -> UploadRead

        /// Goes back to the first byte.
        ///
        /// - Returns: False where that is impossible.
        func rewind() -> Bool

        /// Sets what is called once there is something to read after `later`; on any thread.
        func onReady(_ notify: @escaping @Sendable () -> Void)

        /// Nobody reads any more.
        func cancel()
    }

    extension UploadReader {
        func onReady(_ notify: @escaping @Sendable () -> Void) {}
        func cancel() {}
    }

    /// What a read gave.
    enum UploadRead {
        /// So many bytes; 0 is the end.
        case bytes(Int)
        /// Nothing yet.
        case later
        case failed(NetworkError)
    }

    /// A body in memory.
    private final class DataReader: UploadReader {
        private let data: Data
        /// Where the next read begins. Only the loop's thread reads; an atomic says so to the compiler.
        private let position = Position()

        init(_ data: Data) { self.data = data }

        var length: Int64 { Int64(data.count) }

        func read(into room: UnsafeMutableRawBufferPointer) -> UploadRead {
            let start = Int(position.value)
            let count = min(room.count, data.count - start)
            data.copyBytes(to: room, from: (data.startIndex + start)..<(data.startIndex + start + count))
            position.value += Int64(count)
            return .bytes(count)
        }

        func rewind() -> Bool {
            position.value = 0
            return true
        }
    }

    /// A regular file, read where the last read ended; a read of the page cache does not hold up the loop.
    private final class FileReader: UploadReader {
        let length: Int64
        private let descriptor: Int32
        private let url: URL
        private let isTemporary: Bool
        private let position = Position()

        init(_ url: URL, isTemporary: Bool) throws(NetworkError) {
            self.url = url
            self.isTemporary = isTemporary
            do throws(NetworkError) {
                length = try BodyFile.check(url)
            } catch {
                if isTemporary { try? FileManager.default.removeItem(at: url) }
                throw error
            }
            descriptor = Glibc.open(url.path(percentEncoded: false), O_RDONLY | O_CLOEXEC)
            // Open, it needs no name any more.
            if isTemporary { try? FileManager.default.removeItem(at: url) }
            guard descriptor >= 0 else {
                throw NetworkError(.invalidBody, "The body's file \(url.lastPathComponent) cannot be read")
            }
            posix_fadvise(descriptor, 0, 0, Int32(POSIX_FADV_SEQUENTIAL))
        }

        deinit { if descriptor >= 0 { close(descriptor) } }

        func read(into room: UnsafeMutableRawBufferPointer) -> UploadRead {
            let wanted = Int(min(Int64(room.count), length - position.value))
            guard wanted > 0 else { return .bytes(0) }
            while true {
                let count = pread(descriptor, room.baseAddress, wanted, off_t(position.value))
                if count < 0, errno == EINTR { continue }
                guard count > 0 else {
                    return .failed(
                        NetworkError(
                            .invalidBody,
                            "The body's file \(url.lastPathComponent) ended after \(position.value) of \(length) bytes")
                    )
                }
                position.value += Int64(count)
                return .bytes(count)
            }
        }

        func rewind() -> Bool {
            position.value = 0
            return true
        }
    }
#endif
