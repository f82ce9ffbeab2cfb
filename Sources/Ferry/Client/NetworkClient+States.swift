/// Calls as the states of a screen, and with callbacks.
extension NetworkClient {
    /// Makes a call and tells where it is.
    ///
    /// ```swift
    /// for await state in client.states(NetworkCall(.get, "/users/1"), as: User.self) {
    ///     switch state {
    ///     case .loading: show("…")
    ///     case .loaded(let user): show(user.name)
    ///     case .failed(let error): show(error.message)
    ///     }
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - call: The call; it begins after `loading` was taken.
    ///   - type: What to decode; inferred where possible.
    ///   - trigger: Loads again whenever it is pulled. Default nil: the sequence ends after one load.
    ///   - keepsLast: Whether `loading` carries the value loaded before. Default false.
    public nonisolated func states<Value: Decodable & Sendable>(
        _ call: NetworkCall, as type: Value.Type = Value.self, reloadingOn trigger: ReloadTrigger? = nil,
        keepsLast: Bool = false
    ) -> CallStates<Value> {
        CallStates(trigger: trigger, keepsLast: keepsLast) { () throws(NetworkError) in
            try await self.request(call, as: type)
        }
    }

    /// Makes a call that is described as a type and tells where it is.
    ///
    /// - Parameters:
    ///   - api: The call; it begins after `loading` was taken.
    ///   - trigger: Loads again whenever it is pulled. Default nil: the sequence ends after one load.
    ///   - keepsLast: Whether `loading` carries the value loaded before. Default false.
    public nonisolated func states<A: Api>(
        _ api: A, reloadingOn trigger: ReloadTrigger? = nil, keepsLast: Bool = false
    ) -> CallStates<A.Response> {
        CallStates(trigger: trigger, keepsLast: keepsLast) { () throws(NetworkError) in try await self.request(api) }
    }

    /// Starts a call and reports by callbacks.
    ///
    /// In order: `onStart`; `onSuccess` or `onError`, neither where the call is cancelled; `onEnd`, exactly once, whether it
    /// succeeded, failed or was cancelled. They run one after the other, off the main actor; a closure that begins with
    /// `@MainActor in` runs on it.
    ///
    /// - Parameters:
    ///   - call: The call.
    ///   - type: What to decode; inferred where possible.
    ///   - onStart: Before anything is sent. Default nothing.
    ///   - onEnd: After everything else. Default nothing.
    ///   - onSuccess: With the value.
    ///   - onError: With the error. Default nothing.
    /// - Returns: The call, to cancel it; dropping it does not.
    @discardableResult
    public nonisolated func observe<Value: Decodable & Sendable>(
        _ call: NetworkCall, as type: Value.Type = Value.self,
        onStart: @escaping @Sendable () async -> Void = {}, onEnd: @escaping @Sendable () async -> Void = {},
        onSuccess: @escaping @Sendable (Value) async -> Void,
        onError: @escaping @Sendable (NetworkError) async -> Void = { _ in }
    ) -> CallTask<Value> {
        observe(
            call, onStart, onEnd, onSuccess, onError,
            decode: { content throws(NetworkError) in try content.decode() })
    }

    /// Starts a call that is described as a type and reports by callbacks.
    ///
    /// - Parameters:
    ///   - api: The call.
    ///   - onStart: Before anything is sent. Default nothing.
    ///   - onEnd: After everything else, exactly once. Default nothing.
    ///   - onSuccess: With the value.
    ///   - onError: With the error; not where the call is cancelled. Default nothing.
    /// - Returns: The call, to cancel it; dropping it does not.
    @discardableResult
    public nonisolated func observe<A: Api>(
        _ api: A, onStart: @escaping @Sendable () async -> Void = {}, onEnd: @escaping @Sendable () async -> Void = {},
        onSuccess: @escaping @Sendable (A.Response) async -> Void,
        onError: @escaping @Sendable (NetworkError) async -> Void = { _ in }
    ) -> CallTask<A.Response> {
        observe(
            api.call, onStart, onEnd, onSuccess, onError,
            decode: { content throws(NetworkError) in try api.decode(content) })
    }

    private nonisolated func observe<Value: Sendable>(
        _ call: NetworkCall, _ onStart: @escaping @Sendable () async -> Void,
        _ onEnd: @escaping @Sendable () async -> Void, _ onSuccess: @escaping @Sendable (Value) async -> Void,
        _ onError: @escaping @Sendable (NetworkError) async -> Void,
        decode: @escaping @Sendable (ResponseContent) throws(NetworkError) -> Value
    ) -> CallTask<Value> {
        let task = CallTask<Value>(clock: configuration.clock) { [self] observer in
            await onStart()
            let result: CallTask<Value>.Result
            do throws(NetworkError) {
                let response = try await make(call, id: observer.id, sink: observer.sink, decode: decode)
                await onSuccess(response.value)
                result = .success(response)
            } catch {
                if error.kind != .cancelled { await onError(error) }
                result = .failure(error)
            }
            await onEnd()
            return result
        }
        task.start()
        return task
    }
}
