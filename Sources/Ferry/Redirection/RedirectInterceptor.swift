// Redirection: what a client does with a response that points elsewhere (RFC 9110 §15.4): rules, policy, and the loop.
// May name Messages and Pipeline, and no other middle room.

/// Follows redirects as the policy says; each hop passes everything below, so that credentials and cookies are decided
/// for the origin that is asked.
public struct RedirectInterceptor: Interceptor {
    /// What applies to calls that say nothing.
    public let policy: RedirectPolicy

    /// Creates the interceptor.
    ///
    /// - Parameter policy: What applies to calls that say nothing. Default `.follow`.
    public init(policy: RedirectPolicy = .follow) { self.policy = policy }

    /// Sends a request and those that its redirects lead to.
    ///
    /// - Returns: The response that ends the chain, with every hop in `redirects` and in `head.url` the URL that
    ///   answered; its fragment is the last one that a Location or the call gave (RFC 9110 §10.2.2).
    /// - Throws: `NetworkError` of kind `redirect` where a redirect may not be followed, of kind `bodyNotReplayable`
    ///   where the body would have to be sent again and cannot be, both with the response's head; and whatever a hop
    ///   throws, naming the request of that hop.
    public func intercept(
        _ request: HTTPRequest, context: CallContext, next: Next
    ) async throws(NetworkError) -> HTTPResponse {
        let policy = context.options.redirects ?? policy
        var current = request
        var hops: [Redirect] = []
        while true {
            var response = try await send(current, to: next)
            guard let target = try await follow(response.head, of: current, policy: policy, hops: hops) else {
                guard !hops.isEmpty else { return response }
                response.head.url = current.url
                response.redirects = hops + response.redirects
                return response
            }
            // The body of a followed redirect is of no use; dropping the response here ends a streamed one.
            let hop = Redirect(
                status: response.status, source: current.url, target: target.url, method: target.method)
            hops.append(hop)
            context.emit(.redirected(hop))
            current = target
        }
    }

    private func send(_ request: HTTPRequest, to next: Next) async throws(NetworkError) -> HTTPResponse {
        do throws(NetworkError) {
            return try await next(request)
        } catch {
            throw error.describing(request)
        }
    }

    /// The request that follows, or nil where the response is the answer.
    private func follow(
        _ head: HTTPResponse.Head, of request: HTTPRequest, policy: RedirectPolicy, hops: [Redirect]
    ) async throws(NetworkError) -> HTTPRequest? {
        do throws(NetworkError) {
            switch policy.mode {
            case .refuse:
                return nil
            case .follow:
                guard RedirectRules.isRedirect(head) else { return nil }
                try checkLimit(policy, hops)
                return try RedirectRules.next(after: request, head: head, sensitiveHeaders: policy.sensitiveHeaders)
            case .custom(let decide):
                guard RedirectRules.isRedirect(head) else { return nil }
                let proposal = RedirectProposal(
                    response: head, request: request,
                    next: RedirectRules.proposal(after: request, head: head, sensitiveHeaders: policy.sensitiveHeaders),
                    hops: hops)
                return try await take(decide(proposal), proposal, policy)
            }
        } catch {
            if Task.isCancelled { throw NetworkError.cancelled.describing(request) }
            throw error.with { if $0.response == nil { $0.response = head } }.describing(request)
        }
    }

    private func take(
        _ decision: RedirectDecision, _ proposal: RedirectProposal, _ policy: RedirectPolicy
    ) async throws(NetworkError) -> HTTPRequest? {
        if Task.isCancelled { throw .cancelled }
        switch decision.choice {
        case .refuse:
            return nil
        case .fail(let message):
            throw NetworkError(.redirect, message)
        case .proposed:
            try checkLimit(policy, proposal.hops)
            return try proposal.next.get()
        case .request(let request):
            try checkLimit(policy, proposal.hops)
            try request.validate()
            return request
        }
    }

    private func checkLimit(_ policy: RedirectPolicy, _ hops: [Redirect]) throws(NetworkError) {
        guard hops.count < policy.limit else {
            throw NetworkError(.redirect, "The server redirected more than \(policy.limit) times")
        }
    }
}
