import Foundation

extension NetworkClient {
    /// A response that was accepted, before it is decoded.
    struct Accepted {
        let response: HTTPResponse
        let content: ResponseContent
    }

    /// Makes a buffered call and decodes what comes; the one way that every typed call goes.
    ///
    /// - Parameters:
    ///   - call: The call.
    ///   - id: The number of the call. Default the next one.
    ///   - sink: Receives each event of the call. Default none.
    ///   - decode: Makes the value of an accepted response.
    nonisolated func make<Value: Sendable>(
        _ call: NetworkCall, id: CallContext.ID? = nil, sink: (@Sendable (CallEvent) -> Void)? = nil,
        decode: (ResponseContent) throws(NetworkError) -> Value
    ) async throws(NetworkError) -> Response<Value> {
        let context = try context(for: call, delivery: .buffered, id: id, sink: sink)
        var request: HTTPRequest?
        var response: HTTPResponse?
        do throws(NetworkError) {
            if Task.isCancelled { throw .cancelled }
            let built = try builder.request(for: call)
            request = built
            let answer = try await chain.send(built, context: context)
            response = answer
            let content = try await accept(answer, of: call)
            let value = try decode(content)
            if Task.isCancelled { throw .cancelled }
            ended(context, request, answer, nil)
            return Response(
                value: value, head: answer.head, body: content.body, timings: context.timings,
                attempts: context.attempts, redirects: answer.redirects, source: answer.source,
                age: answer.age)
        } catch {
            let error = finished(error, request, context)
            ended(context, request, response, error)
            throw error
        }
    }

    /// The context of a call that begins now.
    nonisolated func context(
        for call: NetworkCall, delivery: Delivery, id: CallContext.ID? = nil,
        sink: (@Sendable (CallEvent) -> Void)? = nil
    ) throws(NetworkError) -> CallContext {
        var timeouts = call.timeouts ?? configuration.timeouts
        if let attempt = call.attemptTimeout { timeouts.attempt = attempt }
        var options = call.options
        if !configuration.pins.isEmpty { options[PinsKey.self] = configuration.pins }
        if let mock = call.mockResponse { options[MockResponseKey.self] = mock }
        if options.coalesces ?? configuration.coalescesRequests {
            options.credentialIdentity = (options.authorization ?? configuration.authorization).source?.identity
        }
        let id = id ?? .next()
        let context = CallContext(
            delivery: delivery, timeouts: timeouts, options: options, limits: call.limits ?? configuration.limits,
            clock: configuration.clock, deadlines: deadlines, id: id, sink: observer(of: id, sink))
        context.emit(.queued)
        do throws(NetworkError) {
            try timeouts.validate()
            try context.limits.validate()
        } catch {
            ended(context, nil, nil, error)
            throw error
        }
        return context
    }

    /// Judges a response: its status, its content type, and what the call itself checks.
    nonisolated func accept(_ response: HTTPResponse, of call: NetworkCall) async throws(NetworkError)
        -> ResponseContent
    {
        let decoder = call.decoder ?? configuration.decoder
        let body = try await response.data(limit: (call.limits ?? configuration.limits).bufferedBody)
        let validation = call.validation ?? configuration.validation
        try validation.validate(
            head: response.head, body: body, errorMessageKeyPath: configuration.errorMessageKeyPath, decoder: decoder)
        try (call.contentTypes ?? configuration.contentTypes)?.validate(
            head: response.head, body: body, decoder: decoder)
        return ResponseContent(
            head: response.head, body: body, keyPath: call.responseKeyPath, decoder: decoder, fallback: call.fallback)
    }

    /// An error with all that is known of its call.
    nonisolated func finished(_ error: NetworkError, _ request: HTTPRequest?, _ context: CallContext) -> NetworkError {
        var error = request.map(error.describing) ?? error
        guard error.attempts.isEmpty else { return error }
        let attempts = context.attempts
        let refusal = context.retryRefusal
        if !attempts.isEmpty || refusal != nil {
            error = error.with {
                $0.attempts = attempts
                if let refusal { $0.message += " (\(refusal))" }
            }
        }
        return error
    }

    /// Tells everybody who listens that a call ended.
    ///
    /// - Parameter isThrown: Whether anybody gets the error; a stream that was left ends with one that nobody sees.
    nonisolated func ended(
        _ context: CallContext, _ request: HTTPRequest?, _ response: HTTPResponse?, _ error: NetworkError?,
        isThrown: Bool = true
    ) {
        if context.isObserved {
            let timings = context.timings
            if let error {
                context.emit(.finished(.failure(error, timings)))
            } else if let response {
                context.emit(.finished(.success(response.head, timings)))
            }
        }
        if error?.kind == .cacheMiss, context.options.isCacheProbe { return }
        if let error, isThrown { configuration.errorHandler?(error) }
        guard configuration.logHandler != nil || configuration.logger != nil else { return }
        let log = CallLog(context: context, request: request, response: response, error: error)
        configuration.logHandler?(log)
        configuration.logger?.log(log, request, response, redaction: configuration.redaction)
    }
}
