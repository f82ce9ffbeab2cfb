/// Values from the cache and from the network.
extension NetworkClient {
    /// Makes a call and gives its values: with `cacheThenNetwork` what is stored, if anything is, and then the network's
    /// answer; with another mode one value.
    ///
    /// ```swift
    /// for try await response in client.values(call, as: Feed.self, cache: .cacheThenNetwork) {
    ///     show(response.value, isCached: response.source.isCache)
    /// }
    /// ```
    ///
    /// The second value is what the server says now: a new response, or what is stored, confirmed by a 304
    /// (`cacheValidated`). A stored response that cannot be decoded any more is passed over. Nothing is sent before the
    /// first value is asked for; leaving the loop after it sends nothing.
    ///
    /// - Parameters:
    ///   - call: The call.
    ///   - type: What to decode; inferred where possible.
    ///   - cache: How the cache is used. Default nil: as the call or the client says.
    public nonisolated func values<Value: Decodable & Sendable>(
        _ call: NetworkCall, as type: Value.Type = Value.self, cache: CacheMode? = nil
    ) -> CallValues<Value> {
        values(call, cache) { call throws(NetworkError) in try await self.response(call, as: type) }
    }

    /// Makes a call that is described as a type and gives its values, as ``values(_:as:cache:)`` does.
    public nonisolated func values<A: Api>(_ api: A, cache: CacheMode? = nil) -> CallValues<A.Response> {
        values(api.call, cache) { call throws(NetworkError) in
            try await self.make(call) { content throws(NetworkError) in try api.decode(content) }
        }
    }

    private nonisolated func values<Value: Sendable>(
        _ call: NetworkCall, _ mode: CacheMode?,
        make: @escaping @Sendable (NetworkCall) async throws(NetworkError) -> Response<Value>
    ) -> CallValues<Value> {
        let mode = mode ?? call.options.cache ?? configuration.cache?.mode ?? .useProtocol
        return CallValues(call: call, mode: mode, make: make)
    }
}

/// The values of one call, in the order in which they come.
public struct CallValues<Value: Sendable>: AsyncSequence, Sendable {
    /// A value with its response, which says where it came from.
    public typealias Element = Response<Value>
    /// Every failure is a `NetworkError`.
    public typealias Failure = NetworkError

    let call: NetworkCall
    let mode: CacheMode
    let make: @Sendable (NetworkCall) async throws(NetworkError) -> Response<Value>

    /// Makes the call. Each iterator makes it anew.
    public func makeAsyncIterator() -> Iterator { Iterator(values: self, isCachePending: mode == .cacheThenNetwork) }

    /// What is stored; nil where nothing is, or nothing of use.
    private func stored() async throws(NetworkError) -> Response<Value>? {
        var probe = call.cache(.cacheOnly)
        probe.options.isCacheProbe = true
        do throws(NetworkError) {
            return try await make(probe)
        } catch {
            if error.kind == .cancelled { throw error }
            return nil
        }
    }

    /// Iterates over the values.
    public struct Iterator: AsyncIteratorProtocol {
        let values: CallValues
        /// Whether what is stored comes first.
        var isCachePending: Bool
        private var isFinished = false

        init(values: CallValues, isCachePending: Bool) {
            self.values = values
            self.isCachePending = isCachePending
        }

        /// The next value, or nil after the last.
        ///
        /// - Throws: `NetworkError`; afterwards the sequence is finished.
        public mutating func next() async throws(NetworkError) -> Response<Value>? { try await next(isolation: nil) }

        /// The next value, or nil after the last.
        ///
        /// - Throws: `NetworkError`; afterwards the sequence is finished.
        public mutating func next(
            isolation actor: isolated (any Actor)?
        ) async throws(NetworkError) -> Response<Value>? {
            if isCachePending {
                isCachePending = false
                do throws(NetworkError) {
                    if let stored = try await values.stored() { return stored }
                } catch {
                    isFinished = true
                    throw error
                }
            }
            guard !isFinished else { return nil }
            isFinished = true
            return try await values.make(values.call.cache(values.mode))
        }
    }
}

@available(*, unavailable)
extension CallValues.Iterator: Sendable {}
