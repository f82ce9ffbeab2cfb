import Synchronization

/// Names a value that a room keeps for the time of one call.
package protocol CallValueKey {
    /// The type of the value.
    associatedtype Value: Sendable

    /// What it is before anybody changed it.
    static var initial: Value { get }
}

/// What interceptors remember for the time of one call, across its attempts and redirects.
///
/// An interceptor below redirection is entered once a hop, so a local variable would forget.
package final class CallStore: Sendable {
    /// Guards the values: parts of a call may run on different threads.
    private let values = Mutex<[ObjectIdentifier: any Sendable]>([:])

    package init() {}

    /// A store of its own with what this one holds now, for work that goes on behind the call.
    package func copy() -> CallStore {
        let copy = CallStore()
        let values = values.withLock { $0 }
        copy.values.withLock { $0 = values }
        return copy
    }

    /// Reads or changes the value of a key, alone.
    package func with<Key: CallValueKey, Result: Sendable>(
        _ key: Key.Type, _ body: (inout Key.Value) -> Result
    ) -> Result {
        values.withLock { values in
            var value = values[ObjectIdentifier(key)] as? Key.Value ?? Key.initial
            let result = body(&value)
            values[ObjectIdentifier(key)] = value
            return result
        }
    }
}

extension CallContext {
    private enum RetryRefusal: CallValueKey {
        static var initial: String? { nil }
    }

    /// Why a retryable failure was not retried, where a user should know; the client adds it to the error's message.
    package var retryRefusal: String? {
        get { store.with(RetryRefusal.self) { $0 } }
        set { store.with(RetryRefusal.self) { $0 = newValue } }
    }
}
