#if os(Linux)
    import CFerryCurl

    /// The functions that libcurl calls while it works, unpauses or removes: in the loop's turn.
    ///
    /// `context` is the transfer, which the loop keeps for as long as libcurl may call. What libcurl points to is its own and
    /// valid during the call alone.
    enum CurlCallbacks {
        private static func transfer(_ context: UnsafeMutableRawPointer) -> CurlTransfer {
            Unmanaged<CurlTransfer>.fromOpaque(context).takeUnretainedValue()
        }

        static let write: ferry_write_function = { bytes, size, count, context in
            guard let context else { return 0 }
            return transfer(context).take(UnsafeRawBufferPointer(start: bytes, count: size * count))
        }

        static let header: ferry_write_function = { bytes, size, count, context in
            guard let context else { return 0 }
            return transfer(context).takeLine(UnsafeRawBufferPointer(start: bytes, count: size * count))
                ? size * count : 0
        }

        static let read: ferry_read_function = { room, size, count, context in
            guard let context else { return Int(FERRY_READ_ABORT) }
            return transfer(context).fill(UnsafeMutableRawBufferPointer(start: room, count: size * count))
        }

        static let seek: ferry_seek_function = { context, offset, origin in
            guard let context, transfer(context).seek(offset, origin) else { return Int32(FERRY_SEEK_FAIL) }
            return Int32(FERRY_SEEK_OK)
        }
    }
#endif
