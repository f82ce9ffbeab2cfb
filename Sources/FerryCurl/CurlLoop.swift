#if os(Linux)
    import CFerryCurl
    import Ferry
    import Foundation

    #if canImport(Glibc)
        import Glibc
    #elseif canImport(Musl)
        import Musl
    #endif

    /// The event loop of one thread over one multi handle.
    ///
    /// Everything here, and every handle of libcurl, is used by that thread alone once `run` began; others speak to it
    /// through its mailbox.
    final class CurlLoop {
        private let mailbox: CurlMailbox
        private let multi: OpaquePointer
        private let share: OpaquePointer?
        private let setUp: CurlSetUp
        /// Handles without a transfer.
        private var idle: [OpaquePointer] = []
        private var active: [ObjectIdentifier: CurlTransfer] = [:]
        private var dirty: [CurlTransfer] = []
        private var isFinishing = false

        /// Handles that are kept for later transfers; each takes about 10 kB.
        private static let idleLimit = 128

        init(_ setUp: CurlSetUp, mailbox: CurlMailbox) throws(NetworkError) {
            guard let multi = ferry_multi_make() else {
                throw NetworkError(.unsupported, "libcurl gave no multi handle")
            }
            self.mailbox = mailbox
            self.setUp = setUp
            self.multi = multi
            share = ferry_share_make()
            ferry_multi_limit(
                multi, setUp.settings.idleConnections, setUp.settings.connectionsPerHost, 0)
            // What cannot be set is known here, before the thread exists.
            idle.append(try makeHandle())
        }

        deinit {
            for easy in idle { ferry_easy_free(easy) }
            ferry_multi_free(multi)
            setUp.release()
            if let share { ferry_share_free(share) }
        }

        // MARK: The thread

        /// Works until it is stopped, or finished and without exchanges.
        func run() {
            var running: Int32 = 0
            while true {
                let commands = mailbox.take()
                for command in commands {
                    guard handle(command) else { return stop(commands) }
                }
                if !active.isEmpty { perform(&running) }
                if isFinishing, active.isEmpty { return stop([]) }
                // A minute: idle connections are looked at then; anything else wakes it.
                if mailbox.sleeps(on: multi) { ferry_multi_poll(multi, 60_000) }
            }
        }

        private func perform(_ running: inout Int32) {
            ferry_multi_perform(multi, &running)
            var code: Int32 = 0
            while let easy = ferry_multi_next(multi, &code) {
                guard let context = ferry_easy_context(easy) else { continue }
                let transfer = Unmanaged<CurlTransfer>.fromOpaque(context).takeUnretainedValue()
                end(transfer, code)
            }
            flush()
        }

        private func flush() {
            guard !dirty.isEmpty else { return }
            for transfer in dirty { transfer.flush() }
            dirty.removeAll(keepingCapacity: true)
        }

        /// - Returns: False where the loop must stop.
        private func handle(_ command: CurlCommand) -> Bool {
            switch command {
            case .add(let exchange, let wire, let upload): add(exchange, wire, upload)
            case .remove(let exchange):
                if let transfer = active.removeValue(forKey: ObjectIdentifier(exchange)) { drop(transfer) }
            case .resumeReceiving(let exchange):
                if let transfer = active[ObjectIdentifier(exchange)], let code = transfer.resumeReceiving() {
                    end(transfer, code)
                }
                flush()
            case .resumeSending(let exchange): active[ObjectIdentifier(exchange)]?.resumeSending()
            case .stop: return false
            case .finish: isFinishing = true
            }
            return true
        }

        /// Ends what runs and what was not begun.
        private func stop(_ commands: [CurlCommand]) {
            let reason = NetworkError(.cancelled, "The transport was shut down")
            for command in commands + mailbox.close() {
                if case .add(let exchange, _, let upload) = command {
                    upload.cancel()
                    exchange.cancel(reason)
                }
            }
            for transfer in active.values {
                drop(transfer)
                transfer.exchange.cancel(reason)
            }
            active.removeAll()
        }

        // MARK: Transfers

        private func add(_ exchange: CurlExchange, _ wire: WireRequest, _ upload: CurlUpload) {
            guard !exchange.isEnded else { return upload.cancel() }
            do throws(NetworkError) {
                let easy = if let kept = idle.popLast() { kept } else { try makeHandle() }
                let transfer = CurlTransfer(exchange, wire, upload, easy: easy) { [unowned self] in dirty.append($0) }
                if case .source(let reader) = upload {
                    reader.onReady { [mailbox] in mailbox.post(.resumeSending(exchange)) }
                }
                active[ObjectIdentifier(exchange)] = transfer
                setUp.adjust(easy, for: transfer)
                let code = transfer.attach()
                guard code == 0, ferry_multi_add(multi, easy) == 0 else {
                    return end(transfer, code == 0 ? 2 : code)
                }
                transfer.isAdded = true
            } catch {
                upload.cancel()
                exchange.cancel(error)
            }
        }

        /// A transfer ended by itself.
        private func end(_ transfer: CurlTransfer, _ code: Int32) {
            if transfer.isAdded {
                ferry_multi_remove(multi, transfer.easy)
                transfer.isAdded = false
            }
            guard transfer.finish(code) else { return }
            active[ObjectIdentifier(transfer.exchange)] = nil
            recycle(transfer.easy)
        }

        /// Nobody wants the transfer any more: its connection is closed where it was not done.
        private func drop(_ transfer: CurlTransfer) {
            if transfer.isAdded { ferry_multi_remove(multi, transfer.easy) }
            transfer.isAdded = false
            transfer.upload.cancel()
            recycle(transfer.easy)
        }

        private func recycle(_ easy: OpaquePointer) {
            ferry_easy_detach(easy)
            if idle.count < Self.idleLimit {
                idle.append(easy)
            } else {
                ferry_easy_free(easy)
            }
        }

        private func makeHandle() throws(NetworkError) -> OpaquePointer {
            guard
                let easy = ferry_easy_make(
                    CurlCallbacks.write, CurlCallbacks.header, CurlCallbacks.read, CurlCallbacks.seek)
            else { throw NetworkError(.unsupported, "libcurl gave no handle") }
            do throws(NetworkError) {
                try setUp.apply(to: easy, share: share)
            } catch {
                ferry_easy_free(easy)
                throw error
            }
            return easy
        }
    }
#endif
