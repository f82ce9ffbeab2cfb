/// Calls that are watched while they run.
extension NetworkClient {
    /// A call as an object that is not started yet.
    ///
    /// - Parameters:
    ///   - call: The call.
    ///   - type: What to decode; inferred where possible.
    public nonisolated func task<Value: Decodable & Sendable>(
        _ call: NetworkCall, as type: Value.Type = Value.self
    ) -> CallTask<Value> {
        task(call) { content throws(NetworkError) in try content.decode() }
    }

    /// A call that is described as a type, as an object that is not started yet.
    public nonisolated func task<A: Api>(_ api: A) -> CallTask<A.Response> {
        task(api.call) { content throws(NetworkError) in try api.decode(content) }
    }

    /// Starts a call and gives it as an object.
    ///
    /// - Parameters:
    ///   - call: The call.
    ///   - type: What to decode; inferred where possible.
    @discardableResult
    public nonisolated func start<Value: Decodable & Sendable>(
        _ call: NetworkCall, as type: Value.Type = Value.self
    ) -> CallTask<Value> {
        let task = task(call, as: type)
        task.start()
        return task
    }

    /// Starts a call that is described as a type, and gives it as an object.
    @discardableResult
    public nonisolated func start<A: Api>(_ api: A) -> CallTask<A.Response> {
        let task = task(api)
        task.start()
        return task
    }

    /// Makes a call and tells what happens to it.
    ///
    /// ```swift
    /// for await event in client.events(NetworkCall(.get, "/report")) { show("\(event)") }
    /// ```
    ///
    /// Each loop makes a call of its own, which begins with the first `next`; leaving the loop cancels it. Progress comes
    /// at most ten times a second in each direction, the first and the last always.
    ///
    /// - Parameters:
    ///   - call: The call; its content is not decoded.
    ///   - includingData: Whether the content of the accepted response comes as `data` events. Then the call is a stream:
    ///     the server is as fast as the loop, within `Limits.streamMemory`, and once the head was accepted the call is not
    ///     repeated unseen. Default false: the content is dropped.
    public nonisolated func events(_ call: NetworkCall, includingData: Bool = false) -> CallEvents {
        CallEvents { [self] in
            guard includingData else {
                let task = task(call) { _ in }
                task.start()
                return CallEvents.Session(task.channel) { task.cancel() }
            }
            let channel = CallEventChannel(clock: configuration.clock, keepsHistory: false)
            let observer = CallObserver(id: .next()) { channel.record($0) }
            let task = Task { await deliver(call, to: channel, observer) }
            return CallEvents.Session(channel) { task.cancel() }
        }
    }

    /// Makes a call and tells what happens to it, with the decoded value at the end.
    ///
    /// ```swift
    /// for await event in client.events(NetworkCall(.get, "/users/1"), as: User.self) {
    ///     switch event {
    ///     case .event(.retry(let wait, _)): show("again in \(wait)")
    ///     case .event: break
    ///     case .finished(let result): show(try result.get().value.name)
    ///     }
    /// }
    /// ```
    ///
    /// Each loop makes a call of its own, which begins with the first `next`; leaving the loop cancels it.
    ///
    /// - Parameters:
    ///   - call: The call.
    ///   - type: What to decode.
    public nonisolated func events<Value: Decodable & Sendable>(
        _ call: NetworkCall, as type: Value.Type
    ) -> ValueEvents<Value> {
        ValueEvents { [self] in task(call, as: type) }
    }

    /// Makes a call that is described as a type and tells what happens to it, with the decoded value at the end.
    ///
    /// Each loop makes a call of its own, which begins with the first `next`; leaving the loop cancels it.
    public nonisolated func events<A: Api>(_ api: A) -> ValueEvents<A.Response> {
        ValueEvents { [self] in task(api) }
    }

    nonisolated func task<Value: Sendable>(
        _ call: NetworkCall, decode: @escaping @Sendable (ResponseContent) throws(NetworkError) -> Value
    ) -> CallTask<Value> {
        CallTask(clock: configuration.clock) { [self] observer in
            do throws(NetworkError) {
                return .success(try await make(call, id: observer.id, sink: observer.sink, decode: decode))
            } catch {
                return .failure(error)
            }
        }
    }

    /// Streams a call into its events. Its end, also a failure, is reported by the stream itself.
    private nonisolated func deliver(
        _ call: NetworkCall, to channel: CallEventChannel, _ observer: CallObserver
    ) async {
        do throws(NetworkError) {
            let response = try await stream(call, observer: observer)
            for try await chunk in response.body { await channel.deliver(.data(chunk)) }
        } catch {
            // `finished` has it.
        }
    }
}
