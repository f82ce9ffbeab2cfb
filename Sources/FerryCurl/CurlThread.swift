#if os(Linux)
    import CFerryCurl
    import Ferry
    import Synchronization

    #if canImport(Glibc)
        import Glibc
    #elseif canImport(Musl)
        import Musl
    #endif

    /// The thread of one loop, and how to end it.
    final class CurlThread: Sendable {
        let mailbox: CurlMailbox
        let loop: CurlLoop
        /// Guards against joining twice, and has whoever stops it second wait too; nil once joined or left to itself.
        private let thread: Mutex<pthread_t?>

        /// Starts the thread.
        ///
        /// - Throws: `unsupported` where a setting cannot be honoured or there is no thread to be had.
        init(_ settings: CurlTransport.Settings, _ library: CurlLibrary) throws(NetworkError) {
            mailbox = try CurlMailbox()
            loop = try CurlLoop(try CurlSetUp(settings, library), library, mailbox: mailbox)
            var thread = pthread_t()
            // The thread keeps the loop for as long as it runs.
            let context = Unmanaged.passRetained(loop).toOpaque()
            let code = pthread_create(&thread, nil, CurlThread.main, context)
            guard code == 0 else {
                Unmanaged<CurlLoop>.fromOpaque(context).release()
                throw NetworkError(.unsupported, "The thread of FerryCurl cannot be started: error \(code)")
            }
            self.thread = Mutex(thread)
        }

        private static let main: @convention(c) (UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? = { context in
            guard let context else { return nil }
            ferry_name_thread("ferry-curl")
            Unmanaged<CurlLoop>.fromOpaque(context).takeRetainedValue().run()
            return nil
        }

        /// Ends every exchange and waits for the end of the thread.
        func stop() {
            mailbox.post(.stop)
            // From a callback of a call the loop waits for this thread, or is it.
            guard !loop.isCurrent else { return }
            thread.withLock { thread in
                if let running = thread.take() { pthread_join(running, nil) }
            }
        }

        /// Lets running exchanges end, and the thread after them, without waiting.
        func finish() {
            guard let thread = thread.withLock({ $0.take() }) else { return }
            mailbox.post(.finish)
            pthread_detach(thread)
        }
    }
#endif
