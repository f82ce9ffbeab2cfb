// Cookies: a client's cookie jar by the rules of RFC 6265, and the step that applies it to every hop of a call.
// May name Messages and Pipeline, and no other middle room.

/// Sends the cookies of a jar and stores those that responses set.
///
/// Its place is below redirection, so that a cookie set by a 302 goes to the target (RFC 6265 §5.3), and every hop gets
/// the cookies of its own URL. Below retry and authorization too, so that the request which follows a 503 or a 401 has
/// the cookies that it set, or that the refresh brought. Responses of any status are read.
public struct CookieInterceptor: Interceptor {
    /// The jar.
    public let jar: CookieJar

    /// Creates the interceptor.
    ///
    /// - Parameter jar: The jar; clients may share one.
    public init(jar: CookieJar) { self.jar = jar }

    /// Sends a request with the jar's cookies and stores what the response sets.
    ///
    /// A request that has a Cookie header goes out as it is: who writes one wants exactly that sent. What the response
    /// sets is stored all the same. A call with `sendsCookies` false neither sends nor stores.
    public func intercept(
        _ request: HTTPRequest, context: CallContext, next: Next
    ) async throws(NetworkError) -> HTTPResponse {
        guard context.options.sendsCookies != false else { return try await next(request) }
        var sent = request
        preview(&sent, context: context)
        let response = try await next(sent)
        jar.store(response.headers, from: request.url, at: context.clock.date)
        return response
    }
}

extension CookieInterceptor: RequestPreviewing {
    /// Adds the jar's cookies.
    public func preview(_ request: inout HTTPRequest, context: CallContext) {
        guard context.options.sendsCookies != false, !request.headers.contains("Cookie"),
            let header = jar.header(for: request.url, at: context.clock.date)
        else { return }
        request.headers.append("Cookie", header)
    }
}

extension CallOptions {
    private enum SendsCookiesKey: CallOptionKey { typealias Value = Bool }

    /// Whether the call uses the client's cookie jar; false neither sends cookies nor stores any, nil is as true.
    public var sendsCookies: Bool? {
        get { self[SendsCookiesKey.self] }
        set { self[SendsCookiesKey.self] = newValue }
    }
}
