public import Foundation

/// Modifiers: each returns a changed copy.
extension NetworkCall {
    /// Adds a query parameter.
    public func query(_ name: String, _ value: Parameters.Value) -> NetworkCall {
        with { $0.query.append(name, value) }
    }

    /// Adds query parameters.
    public func query(_ parameters: Parameters) -> NetworkCall { with { $0.query.append(contentsOf: parameters) } }

    /// Sets a header field; nil removes it from the call, so that the client's default counts.
    public func header(_ name: String, _ value: String?) -> NetworkCall { with { $0.headers[name] = value } }

    /// Sets header fields.
    public func headers(_ headers: HTTPHeaders) -> NetworkCall { with { $0.headers.merge(headers) } }

    /// Sets the content.
    public func body(_ body: RequestBody) -> NetworkCall { with { $0.body = body } }

    /// Says where in the response's JSON the value is.
    public func unwrapping(_ path: JSONKeyPath?) -> NetworkCall { with { $0.responseKeyPath = path } }

    /// Says which statuses are accepted.
    public func validating(_ validation: StatusValidation) -> NetworkCall { with { $0.validation = validation } }

    /// Says which content types are accepted.
    public func accepting(_ types: ContentTypeValidation) -> NetworkCall { with { $0.contentTypes = types } }

    /// Sets the decoder of the response.
    public func decoder(_ decoder: JSONDecoder) -> NetworkCall { with { $0.decoder = decoder } }

    /// Sets the encoder of a JSON body.
    public func encoder(_ encoder: JSONEncoder) -> NetworkCall { with { $0.encoder = encoder } }

    /// Says how query and form parameters are written.
    public func parameterStyle(_ style: ParameterStyle) -> NetworkCall { with { $0.parameterStyle = style } }

    /// Sets the longest time of one attempt, leaving the client's other time-outs.
    public func timeout(_ attempt: Duration) -> NetworkCall { with { $0.attemptTimeout = attempt } }

    /// Sets all time-outs.
    public func timeouts(_ timeouts: Timeouts) -> NetworkCall { with { $0.timeouts = timeouts } }

    /// Says how much of a response is taken.
    public func limits(_ limits: Limits) -> NetworkCall { with { $0.limits = limits } }

    /// Sets the retry policy.
    public func retry(_ policy: RetryPolicy) -> NetworkCall { with { $0.options.retry = policy } }

    /// Sets the authorization, in place of the client's; `.anonymous` sends none.
    public func authorization(_ authorization: Authorization) -> NetworkCall {
        with { $0.options.authorization = authorization }
    }

    /// Sets the redirect policy.
    public func redirects(_ policy: RedirectPolicy) -> NetworkCall { with { $0.options.redirects = policy } }

    /// Says how the client's cache is used.
    public func cache(_ mode: CacheMode) -> NetworkCall { with { $0.options.cache = mode } }

    /// Says what a client in mock mode answers.
    public func mocked(_ response: MockResponse?) -> NetworkCall { with { $0.mockResponse = response } }

    /// Gives the value to return where the response was accepted but could not be decoded (kinds `decoding`,
    /// `unwrapping`, `emptyBody`). HTTP and network errors are thrown all the same.
    ///
    /// Used where the call is asked for exactly this type.
    public func fallback<Value: Sendable>(_ value: Value) -> NetworkCall { with { $0.fallback = value } }

    /// Sets an option of an interceptor.
    public func option<Key: CallOptionKey>(_ key: Key.Type, _ value: Key.Value) -> NetworkCall {
        with { $0.options[key] = value }
    }

    private func with(_ change: (inout NetworkCall) -> Void) -> NetworkCall {
        var copy = self
        change(&copy)
        return copy
    }
}
