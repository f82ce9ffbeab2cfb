#if FERRY_THREAD_SANITIZER
    import Ferry

    /// See the type of Ferry: here to choose between it and the one of Synchronization.
    typealias Mutex<Value> = Ferry.Mutex<Value>
#endif
