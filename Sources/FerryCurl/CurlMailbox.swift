#if os(Linux)
    import CFerryCurl
    import Ferry
    import Synchronization

    /// What a loop is told by threads that do not wait for it.
    enum CurlCommand: Sendable {
        case add(CurlExchange, WireRequest, CurlUpload)
        /// The exchange is over before its transfer.
        case remove(CurlExchange)
        /// The consumer of a stream took enough.
        case resumeReceiving(CurlExchange)
        /// The producer of a body has more.
        case resumeSending(CurlExchange)
        /// Ends every exchange and then the thread.
        case stop
        /// Ends the thread once no exchange is left.
        case finish
    }

    /// Commands for a loop, and what wakes its thread.
    ///
    /// The thread is woken only while it sleeps, and only by the first command: under load a command costs a lock.
    final class CurlMailbox: Sendable {
        /// Ends the thread's sleep; closed with this.
        let wakeup: Int32
        /// Guards the commands and whether somebody has to wake the thread.
        private let state = Mutex(State())

        private struct State {
            var commands: [CurlCommand] = []
            var isSleeping = false
            var isClosed = false
        }

        /// - Throws: `unsupported` where the process has no descriptor left.
        init() throws(NetworkError) {
            wakeup = ferry_wakeup_make()
            guard wakeup >= 0 else { throw NetworkError(.unsupported, "FerryCurl has no descriptor for its thread") }
        }

        deinit { ferry_wakeup_free(wakeup) }

        /// Gives a command to the loop.
        ///
        /// - Returns: False where the loop has ended.
        @discardableResult
        func post(_ command: CurlCommand) -> Bool {
            let (isTaken, wakes) = state.withLock { state in
                guard !state.isClosed else { return (false, false) }
                state.commands.append(command)
                return (true, state.isSleeping.exchange(false))
            }
            if wakes { ferry_wakeup_write(wakeup) }
            return isTaken
        }

        /// Wakes the thread where it sleeps.
        func wake() {
            if state.withLock({ $0.isSleeping.exchange(false) }) { ferry_wakeup_write(wakeup) }
        }

        // MARK: From the loop's thread

        /// Takes all commands; the thread is awake.
        func take() -> [CurlCommand] {
            state.withLock { state in
                state.isSleeping = false
                defer { state.commands = [] }
                return state.commands
            }
        }

        /// Says that the thread is about to sleep.
        ///
        /// - Returns: False where there are commands to take first.
        func sleeps() -> Bool {
            state.withLock { state in
                state.isSleeping = state.commands.isEmpty
                return state.isSleeping
            }
        }

        /// Takes no command any more; gives those that nobody took.
        func close() -> [CurlCommand] {
            state.withLock { state in
                state.isClosed = true
                defer { state.commands = [] }
                return state.commands
            }
        }
    }

    extension Bool {
        fileprivate mutating func exchange(_ new: Bool) -> Bool {
            defer { self = new }
            return self
        }
    }
#endif
