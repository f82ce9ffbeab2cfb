#if os(Linux)
    import Synchronization

    /// An offset that one thread at a time moves, in an object that is shared.
    final class Position: Sendable {
        private let atomic = Atomic<Int64>(0)

        var value: Int64 {
            get { atomic.load(ordering: .relaxed) }
            set { atomic.store(newValue, ordering: .relaxed) }
        }
    }
#endif
