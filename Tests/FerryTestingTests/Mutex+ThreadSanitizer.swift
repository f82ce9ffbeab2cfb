#if FERRY_THREAD_SANITIZER
    @testable import Ferry

    /// See the type of Ferry: here to choose between it and the one of Synchronization.
    typealias Mutex<Value> = Ferry.Mutex<Value>
#endif
