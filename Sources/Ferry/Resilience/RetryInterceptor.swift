import Foundation

/// Makes a call's attempts: the only place where they begin and end.
///
/// Entered once a redirect hop; retries are counted in the context, so that a call has one allowance. Gives back the
/// last response as it is, whatever its status, or throws the last error with the history of attempts.
package struct RetryInterceptor: Interceptor {
    private let policy: RetryPolicy

    /// - Parameter policy: For calls that have none of their own.
    package init(_ policy: RetryPolicy) { self.policy = policy }

    /// Retries begun by the call.
    private enum Retries: CallValueKey {
        static var initial: Int { 0 }
    }

    /// Whether the call gave its share to the budget.
    private enum HasDeposited: CallValueKey {
        static var initial: Bool { false }
    }

    /// The key that was generated for the call.
    private enum GeneratedKey: CallValueKey {
        static var initial: String? { nil }
    }

    package func intercept(
        _ request: HTTPRequest, context: CallContext, next: Next
    ) async throws(NetworkError) -> HTTPResponse {
        let policy = context.options.retry ?? policy
        let request = try keyed(request, context)
        if let budget = policy.budget, isFirstHop(context) {
            budget.deposit(at: context.clock.now)
        }
        while true {
            if Task.isCancelled { throw withHistory(.cancelled, request, context) }
            switch try await attempt(request, policy, context, next) {
            case .finished(let response):
                return response
            case .retry(let wait, let reason):
                // Here the failed response is gone already, and with it a stream that nobody would read.
                try await pause(wait, reason, request, context)
            case .reachable(let reachability, let limit, let reason):
                try await pause(reachability, limit, reason, request, context)
            }
            context.store.with(Retries.self) { $0 += 1 }
        }
    }

    /// Whether the call comes here for the first time; it comes again for each redirect.
    private func isFirstHop(_ context: CallContext) -> Bool {
        context.store.with(HasDeposited.self) { hasDeposited in
            defer { hasDeposited = true }
            return !hasDeposited
        }
    }

    private enum Step {
        case finished(HTTPResponse)
        case retry(Duration, reason: NetworkError)
        case reachable(RetryPolicy.Reachability, limit: Duration, reason: NetworkError)
    }

    private func attempt(
        _ request: HTTPRequest, _ policy: RetryPolicy, _ context: CallContext, _ next: Next
    ) async throws(NetworkError) -> Step {
        context.beginAttempt(request)
        let response: HTTPResponse?
        let error: NetworkError
        do throws(NetworkError) {
            let answer = try await next(request)
            context.endAttempt(status: answer.status, failure: nil)
            guard answer.status >= 400 || policy.statuses.contains(answer.status) else { return .finished(answer) }
            response = answer
            error = RetryFailure.error(of: answer, to: request)
        } catch let thrown {
            context.endAttempt(status: thrown.status, failure: thrown.kind)
            response = nil
            error = thrown
        }

        if let step = retry(error, response, request, policy, context) { return step }
        if let response { return .finished(response) }
        throw withHistory(error, request, context)
    }

    /// The wait that is to follow a failure, or nil where it stands.
    private func retry(
        _ error: NetworkError, _ response: HTTPResponse?, _ request: HTTPRequest, _ policy: RetryPolicy,
        _ context: CallContext
    ) -> Step? {
        let failure = RetryFailure(
            retry: context.store.with(Retries.self) { $0 } + 1, request: request, error: error,
            retryAfter: response?.headers["Retry-After"].flatMap { RetryAfter.parse($0, now: context.clock.date) },
            elapsed: context.elapsed)
        var verdict = policy.verdict(on: failure, remaining: context.deadline.map { $0 - context.clock.now })
        if case .retry = verdict, let budget = policy.budget, !budget.withdraw(at: context.clock.now) {
            verdict = .stop(.budget)
        }
        switch verdict {
        case .retry(let wait):
            return .retry(wait, reason: error)
        case .retryWhenReachable(let limit):
            guard let reachability = policy.reachability else { break }
            return .reachable(reachability, limit: limit, reason: error)
        case .stop(let reason):
            if reason == .bodyNotReplayable {
                context.retryRefusal = "not retried: the request body cannot be replayed"
            }
        }
        return nil
    }

    /// Waits, as the policy says, before a transfer that broke after its head is gone on with; counts as a retry.
    ///
    /// For those that know where it broke: a stream that has begun is never repeated here.
    ///
    /// - Throws: The error where the policy lets it stand, `cancelled` where the wait was cancelled.
    package func waitToContinue(
        after error: NetworkError, _ request: HTTPRequest, _ context: CallContext
    ) async throws(NetworkError) {
        switch retry(error, nil, request, context.options.retry ?? policy, context) {
        case .retry(let wait, let reason): try await pause(wait, reason, request, context)
        case .reachable(let reachability, let limit, let reason):
            try await pause(reachability, limit, reason, request, context)
        case .finished, nil: throw withHistory(error, request, context)
        }
        context.store.with(Retries.self) { $0 += 1 }
    }

    /// Waits between two attempts.
    private func pause(
        _ wait: Duration, _ reason: NetworkError, _ request: HTTPRequest, _ context: CallContext
    ) async throws(NetworkError) {
        context.emit(.retry(wait: wait, reason: reason))
        let start = context.clock.now
        defer { context.waited(retry: context.clock.now - start) }
        do {
            try await context.clock.sleep(until: start + wait)
        } catch {
            throw withHistory(.cancelled, request, context)
        }
    }

    /// Waits for the network, at most as long as the policy and the call allow.
    private func pause(
        _ reachability: RetryPolicy.Reachability, _ limit: Duration, _ reason: NetworkError, _ request: HTTPRequest,
        _ context: CallContext
    ) async throws(NetworkError) {
        context.emit(.retry(wait: limit, reason: reason))
        let clock = context.clock
        let start = clock.now
        let isReachable = await withTaskGroup(of: Bool.self) { group in
            group.addTask { (try? await reachability.wait()) != nil }
            group.addTask {
                _ = try? await clock.sleep(until: start + limit)
                return false
            }
            defer { group.cancelAll() }
            return await group.next() ?? false
        }
        context.waited(retry: clock.now - start)
        if Task.isCancelled { throw withHistory(.cancelled, request, context) }
        if !isReachable { throw withHistory(reason, request, context) }
    }

    /// The request with the idempotency key of the call.
    private func keyed(_ request: HTTPRequest, _ context: CallContext) throws(NetworkError) -> HTTPRequest {
        guard let option = context.options.idempotencyKey, !request.method.isSafe,
            !request.headers.contains(IdempotencyKey.field)
        else { return request }
        var keyed = request
        switch option {
        case .fixed(let key):
            guard !FieldSyntax.trimmed(key).isEmpty, FieldSyntax.isFieldValue(key) else {
                throw NetworkError(.invalidHeader, "The idempotency key is empty or has a control character")
            }
            keyed.headers[IdempotencyKey.field] = key
        case .generated:
            keyed.headers[IdempotencyKey.field] = context.store.with(GeneratedKey.self) { key in
                let made = key ?? UUID().uuidString
                key = made
                return made
            }
        }
        return keyed
    }

    /// An error that names the request and tells the attempts.
    private func withHistory(_ error: NetworkError, _ request: HTTPRequest, _ context: CallContext) -> NetworkError {
        let attempts = context.attempts
        let refusal = context.retryRefusal
        return error.describing(request).with {
            $0.attempts = attempts
            if let refusal { $0.message += " (\(refusal))" }
        }
    }
}
