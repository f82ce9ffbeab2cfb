#if os(Linux)
    import Synchronization

    #if canImport(Glibc)
        import Glibc
    #elseif canImport(Musl)
        import Musl
    #endif

    /// Who may use a loop's handles: one thread at a time.
    ///
    /// A lock of its own, and not `Mutex`: the thread that has the turn may ask for it again in a callback, and is refused
    /// there, which `Mutex` does not promise.
    final class CurlTurn: @unchecked Sendable {  // The pointer is set in `init` alone; what it points to is a lock.
        private let lock: UnsafeMutablePointer<pthread_mutex_t>
        /// The thread that has the turn, or 0.
        private let holder = Atomic<UInt>(0)

        init() {
            lock = .allocate(capacity: 1)
            lock.initialize(to: pthread_mutex_t())
            pthread_mutex_init(lock, nil)
        }

        deinit {
            pthread_mutex_destroy(lock)
            lock.deallocate()
        }

        /// Whether the calling thread has the turn: it is in a callback then.
        var isMine: Bool { holder.load(ordering: .relaxed) == Self.thread }

        /// Waits for the turn and takes it.
        func begin() {
            pthread_mutex_lock(lock)
            holder.store(Self.thread, ordering: .relaxed)
        }

        /// Takes the turn where nobody has it.
        func tryBegin() -> Bool {
            guard pthread_mutex_trylock(lock) == 0 else { return false }
            holder.store(Self.thread, ordering: .relaxed)
            return true
        }

        /// Gives the turn back.
        func end() {
            holder.store(0, ordering: .relaxed)
            pthread_mutex_unlock(lock)
        }

        private static var thread: UInt {
            #if canImport(Glibc)
                pthread_self()
            #else
                UInt(bitPattern: pthread_self())
            #endif
        }
    }
#endif
