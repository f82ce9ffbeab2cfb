#if os(Linux)
    import CFerryCurl
    import Ferry
    import Foundation

    #if canImport(Glibc)
        import Glibc
    #elseif canImport(Musl)
        import Musl
    #endif

    /// The event loop over one multi handle: what a call brings, what sockets bring, one after the other.
    ///
    /// ```
    ///   call ── begin ──> has the turn ──> adds the transfer, sends          one thread at a time:
    ///              │  no, somebody has it                                     the turn
    ///              v
    ///          mailbox ──> thread: waits for sockets and time, takes the turn, works
    /// ```
    ///
    /// A call whose turn it is sends its request itself, without waking the thread: a wake-up costs as much as all the rest
    /// of a small call. The thread waits for the answer. Everything of libcurl is used by who has the turn alone.
    final class CurlLoop: @unchecked Sendable {  // `turn` guards every variable and every handle of libcurl.
        private let turn = CurlTurn()
        private let mailbox: CurlMailbox
        private let multi: OpaquePointer
        private let share: OpaquePointer?
        private let setUp: CurlSetUp
        /// Whether calls may do the work. Not where a name would be looked up while they wait.
        private let isShared: Bool
        private let reusesHandles: Bool
        /// Handles without a transfer.
        private var idle: [OpaquePointer] = []
        private var active: [ObjectIdentifier: CurlTransfer] = [:]
        private var dirty: [CurlTransfer] = []
        private var isFinishing = false
        private var isOver = false
        private var isReleased = false
        /// When the thread looks again by itself.
        private var wakesAt: Int64 = 0

        /// Handles that are kept for later transfers; each takes about 10 kB.
        private static let idleLimit = 128
        /// Fresh handles that are kept ready where each serves one transfer.
        private static let spareLimit = 4

        init(_ setUp: CurlSetUp, _ library: CurlLibrary, mailbox: CurlMailbox) throws(NetworkError) {
            guard let multi = ferry_multi_make(mailbox.wakeup) else {
                throw NetworkError(.unsupported, "libcurl gave no multi handle")
            }
            self.mailbox = mailbox
            self.setUp = setUp
            self.multi = multi
            isShared = library.looksNamesUpAside
            reusesHandles = library.reusesHandles
            share = ferry_share_make()
            ferry_multi_limit(
                multi, setUp.settings.idleConnections, setUp.settings.connectionsPerHost, 0)
            // What cannot be set is known here, before the thread exists.
            idle.append(try makeHandle())
        }

        deinit { release() }

        private func release() {
            guard !isReleased else { return }
            isReleased = true
            for easy in idle { ferry_easy_free(easy) }
            ferry_multi_free(multi)
            setUp.release()
            if let share { ferry_share_free(share) }
        }

        // MARK: Calls

        /// Begins a transfer, on the calling thread where nobody else has the turn.
        ///
        /// - Returns: False where the loop has ended.
        func begin(_ exchange: CurlExchange, _ wire: WireRequest, _ upload: CurlUpload) -> Bool {
            guard isShared, turn.tryBegin() else { return mailbox.post(.add(exchange, wire, upload)) }
            defer { turn.end() }
            guard !isOver else { return false }
            guard active.isEmpty else { return mailbox.post(.add(exchange, wire, upload)) }
            add(exchange, wire, upload)
            work(onSockets: false)
            if ferry_multi_deadline(multi) < wakesAt { mailbox.wake() }
            return true
        }

        /// Whether the calling thread is in a callback of the loop.
        var isCurrent: Bool { turn.isMine }

        // MARK: The thread

        /// Works until it is stopped, or finished and without exchanges; then gives every handle back.
        func run() {
            while true {
                turn.begin()
                take(mailbox.take())
                if !isOver { work(onSockets: true) }
                if isFinishing, active.isEmpty { stop([]) }
                guard !isOver else {
                    release()
                    return turn.end()
                }
                wakesAt = mailbox.sleeps() ? ferry_multi_deadline(multi) : 0
                let deadline = wakesAt
                turn.end()
                ferry_multi_wait(multi, deadline)
            }
        }

        /// Lets libcurl work, and ends the transfers that are done.
        private func work(onSockets: Bool) {
            ferry_multi_act(multi, onSockets)
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

        private func take(_ commands: [CurlCommand]) {
            for command in commands where !isOver { handle(command, of: commands) }
        }

        private func handle(_ command: CurlCommand, of commands: [CurlCommand]) {
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
            case .stop: stop(commands)
            case .finish: isFinishing = true
            }
        }

        /// Ends what runs and what was not begun.
        private func stop(_ commands: [CurlCommand]) {
            isOver = true
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
            if reusesHandles, idle.count < Self.idleLimit {
                ferry_easy_detach(easy)
                idle.append(easy)
                return
            }
            ferry_easy_free(easy)
            // Made now, behind a call that has its answer, rather than at the beginning of the next one.
            if !isOver, idle.count < Self.spareLimit, let fresh = try? makeHandle() { idle.append(fresh) }
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
