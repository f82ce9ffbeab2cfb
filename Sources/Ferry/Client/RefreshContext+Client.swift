import Synchronization

extension RefreshContext {
    /// The client whose call needs the credential. Calls that the refresh makes with it carry no credential of this
    /// store and do not wait for the refresh.
    ///
    /// - Throws: `NetworkError` of kind `cancelled` where the client is gone.
    public var client: NetworkClient {
        get throws(NetworkError) {
            guard let client = owner as? NetworkClient else { throw .cancelled }
            return client
        }
    }
}

/// Finds the client from its own chain without keeping it alive.
final class ClientReference: Sendable {
    private struct Weak {
        weak var client: NetworkClient?
    }

    /// Guards the reference: it is set once, after the chain was made, and read by calls on any thread.
    private let storage = Mutex(Weak())

    var client: NetworkClient? {
        get { storage.withLock { $0.client } }
        set { storage.withLock { $0.client = newValue } }
    }
}
