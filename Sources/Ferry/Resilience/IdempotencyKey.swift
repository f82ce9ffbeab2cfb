/// The key by which a server knows a repeated request (draft-ietf-httpapi-idempotency-key-header).
///
/// ```swift
/// call.options.idempotencyKey = .generated       // one key for all attempts of the call: a POST may be retried
/// ```
///
/// Sent as it is, without the quotes of a structured field, as the deployed services expect it; a server that follows
/// the draft by the letter wants `.fixed("\"8e03978e\"")`. It is not added to safe requests, such as the GET that
/// follows a 303, nor where the call's headers have the field already.
public enum IdempotencyKey: Hashable, Sendable {
    /// A new random UUID a call, the same on all its attempts and redirects.
    case generated
    /// A key of yours, for a call that is made again after the app was restarted.
    case fixed(String)

    static let field = "Idempotency-Key"
}

extension CallOptions {
    private enum RetryKey: CallOptionKey { typealias Value = RetryPolicy }
    private enum IdempotencyOption: CallOptionKey { typealias Value = IdempotencyKey }

    /// The retry policy of this call; nil takes the client's.
    public var retry: RetryPolicy? {
        get { self[RetryKey.self] }
        set { self[RetryKey.self] = newValue }
    }

    /// The idempotency key of this call. Default: none.
    public var idempotencyKey: IdempotencyKey? {
        get { self[IdempotencyOption.self] }
        set { self[IdempotencyOption.self] = newValue }
    }
}
