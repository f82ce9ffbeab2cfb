extension CredentialStore: CredentialSource {
    package var identity: CredentialIdentity? {
        CredentialIdentity(session: session, isRefresh: RefreshMark.isInside(self))
    }

    package func send(
        _ request: HTTPRequest, context: CallContext, next: Next, owner: () -> (any AnyObject & Sendable)?
    ) async throws(NetworkError) -> HTTPResponse {
        // A call that the refresh itself makes would wait for itself.
        if authenticator.isAuthorized(request) || RefreshMark.isInside(self) { return try await next(request) }
        guard let first = try await grant(context, owner) else { return try await next(request) }
        switch try await attempt(request, first, context, next, owner) {
        case .finished(let response):
            return response
        case .again(.resend(let second)):
            return try await send(request, second, next)
        case .again(.wait(let waiter)):
            // The rejected response is gone by now, and with it a stream that nobody would read.
            return try await send(request, try await wait(waiter, context), next)
        case .again(.handOut):
            return try await next(request)
        }
    }

    package func preview(_ request: inout HTTPRequest) {
        guard !authenticator.isAuthorized(request), !RefreshMark.isInside(self), let credential else { return }
        var authorized = request
        guard (try? authenticator.apply(credential, to: &authorized)) != nil,
            (try? authorized.checkAuthorized(from: request)) != nil
        else { return }
        request = authorized
    }

    private enum Step {
        case finished(HTTPResponse)
        case again(Rejection)
    }

    private func attempt(
        _ request: HTTPRequest, _ grant: Machine.Grant, _ context: CallContext, _ next: Next,
        _ owner: () -> (any AnyObject & Sendable)?
    ) async throws(NetworkError) -> Step {
        let response = try await send(request, grant, next)
        guard authenticator.isRejected(response.head) else { return .finished(response) }
        let rejection = try rejected(grant.ticket, isReplayable: request.body.isReplayable, context, owner)
        if case .handOut = rejection { return .finished(response) }
        return .again(rejection)
    }

    private func send(
        _ request: HTTPRequest, _ grant: Machine.Grant, _ next: Next
    ) async throws(NetworkError) -> HTTPResponse {
        var sent = request
        try authenticator.apply(grant.credential, to: &sent)
        try sent.checkAuthorized(from: request)
        return try await next(sent, inPlaceOf: request)
    }
}

extension CredentialStore: CustomStringConvertible, CustomReflectable {
    /// Whether there is a credential, never the credential.
    public var description: String { credential == nil ? "signed out" : "signed in" }

    /// What the description shows.
    public var customMirror: Mirror { Mirror(self, children: ["state": description]) }
}
