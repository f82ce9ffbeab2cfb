#if FERRY_THREAD_SANITIZER
    // The thread sanitizer does not know the lock behind Synchronization.Mutex on Linux and reports a race in every
    // critical section. In builds with FERRY_THREAD_SANITIZER in the environment a lock that it knows stands in, so that
    // what it reports is real.

    import Foundation

    /// A stand-in for `Synchronization.Mutex` over a lock that the thread sanitizer knows.
    package struct Mutex<Value>: ~Copyable, Sendable {
        /// `lock` guards `value`: it is touched in `withLock` alone.
        private final class Box: @unchecked Sendable {
            let lock = NSLock()
            var value: Value

            init(_ value: Value) { self.value = value }
        }

        private let box: Box

        package init(_ value: consuming sending Value) { box = Box(value) }

        package borrowing func withLock<Result, Failure: Error>(
            _ body: (inout Value) throws(Failure) -> Result
        ) throws(Failure) -> Result {
            box.lock.lock()
            defer { box.lock.unlock() }
            return try body(&box.value)
        }
    }
#endif
