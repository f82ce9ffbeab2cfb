#if os(Linux)
    import CFerryCurl
    import Synchronization

    /// What a loop's thread is told by others.
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

    /// Commands for a loop's thread, and what wakes it.
    ///
    /// The thread is woken only while it sleeps, and only by the first command: under load a command costs a lock.
    final class CurlMailbox: Sendable {
        /// Guards the commands, and the multi handle against being woken after it was freed.
        private let state = Mutex(State())

        private struct State {
            var commands: [CurlCommand] = []
            /// The multi handle on which the thread sleeps, as an address, or 0: a pointer cannot be handed to another thread.
            var sleeping: UInt = 0
            var isClosed = false
        }

        /// Gives a command to the thread.
        ///
        /// - Returns: False where the loop has ended.
        @discardableResult
        func post(_ command: CurlCommand) -> Bool {
            state.withLock { state in
                guard !state.isClosed else { return false }
                state.commands.append(command)
                if let multi = OpaquePointer(bitPattern: state.sleeping) {
                    state.sleeping = 0
                    ferry_multi_wakeup(multi)
                }
                return true
            }
        }

        // MARK: From the loop's thread

        /// Takes all commands.
        func take() -> [CurlCommand] {
            state.withLock { state in
                state.sleeping = 0
                defer { state.commands = [] }
                return state.commands
            }
        }

        /// Says that the thread is about to sleep.
        ///
        /// - Returns: False where there are commands to take first.
        func sleeps(on multi: OpaquePointer) -> Bool {
            let address = UInt(bitPattern: multi)
            return state.withLock { state in
                guard state.commands.isEmpty else { return false }
                state.sleeping = address
                return true
            }
        }

        /// Takes no command any more; gives those that nobody took.
        func close() -> [CurlCommand] {
            state.withLock { state in
                state.isClosed = true
                state.sleeping = 0
                defer { state.commands = [] }
                return state.commands
            }
        }
    }
#endif
