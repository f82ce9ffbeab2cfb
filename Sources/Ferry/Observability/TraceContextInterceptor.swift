import Foundation

/// Adds `traceparent` to each attempt: one trace for a call, one span for each attempt.
///
/// ```swift
/// let client = NetworkClient(baseURL: url) { $0.interceptors = [TraceContextInterceptor()] }
/// let incoming = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"      // of the request being served
/// let user = try await TraceContext.$current.withValue(TraceContext(incoming)) { try await client.request(GetUser(id: 1)) }
/// ```
///
/// A request that has the field keeps it. The numbers are random and say nothing of the user, but a server that gets them can
/// tell which calls belong together: `hosts` bounds where they go.
public struct TraceContextInterceptor: Interceptor {
    private let hosts: Set<String>?

    /// Creates the interceptor.
    ///
    /// - Parameter hosts: The hosts that get the field. Default nil: all.
    public init(hosts: Set<String>? = nil) { self.hosts = hosts.map { Set($0.map { $0.lowercased() }) } }

    private enum Trace: CallValueKey {
        static var initial: TraceContext? { nil }
    }

    /// Adds the field.
    public func intercept(
        _ request: HTTPRequest, context: CallContext, next: Next
    ) async throws(NetworkError) -> HTTPResponse {
        let isMeant = hosts.map { hosts in request.url.host().map { hosts.contains($0.lowercased()) } ?? false } ?? true
        guard isMeant, !request.headers.contains("traceparent") else { return try await next(request) }
        let trace = context.store.with(Trace.self) { trace in
            let known = trace ?? TraceContext.current ?? TraceContext()
            trace = known
            return known
        }
        var traced = request
        traced.headers["traceparent"] = trace.child().description
        return try await next(traced)
    }
}
