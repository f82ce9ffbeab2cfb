#if canImport(FoundationNetworking)
    import Foundation
    import Synchronization

    /// A body that is read while it is sent, and why reading it failed.
    final class UploadBody: Sendable {
        /// Guards the reader: the session's queue reads, and its delegate asks for the failure.
        private let state: Mutex<State>

        private struct State {
            var reader: UploadReader
            var failure: NetworkError?
        }

        /// Bytes in all.
        let length: Int64

        init(_ pieces: [UploadReader.Piece]) {
            let reader = UploadReader(pieces)
            length = reader.length
            state = Mutex(State(reader: reader))
        }

        /// Why the body could not be read to its end.
        var failure: NetworkError? { state.withLock { $0.failure } }

        /// A stream from the beginning; streams made before give the same bytes no more.
        func makeStream() -> InputStream {
            state.withLock { $0.reader = UploadReader($0.reader.pieces) }
            return UploadInputStream(self)
        }

        /// As `read(2)`: how many bytes, 0 at the end, -1 where reading failed.
        fileprivate func read(into buffer: UnsafeMutableRawBufferPointer) -> Int {
            state.withLock { state in
                guard state.failure == nil else { return -1 }
                do throws(NetworkError) {
                    return try state.reader.read(into: buffer)
                } catch {
                    state.failure = error
                    return -1
                }
            }
        }
    }

    /// What FoundationNetworking reads a streamed body from.
    ///
    /// It takes `hasBytesAvailable == false` for the end and a short read for nothing special, so bytes are always
    /// available and the end is a read of 0 bytes. A read that fails gives -1, which ends the transfer; its reason is
    /// the body's `failure`, because on Linux `streamError` traps. A read takes from memory or a regular file and never
    /// waits for more.
    private final class UploadInputStream: InputStream {
        private let body: UploadBody
        private var status = Stream.Status.notOpen

        init(_ body: UploadBody) {
            self.body = body
            super.init(data: Data())
        }

        override var streamStatus: Stream.Status { status }
        override var hasBytesAvailable: Bool { true }

        override func open() { status = .open }
        override func close() { status = .closed }

        override func read(_ buffer: UnsafeMutablePointer<UInt8>, maxLength length: Int) -> Int {
            body.read(into: UnsafeMutableRawBufferPointer(start: buffer, count: length))
        }

        override func getBuffer(
            _ buffer: UnsafeMutablePointer<UnsafeMutablePointer<UInt8>?>, length: UnsafeMutablePointer<Int>
        ) -> Bool { false }
    }
#endif
