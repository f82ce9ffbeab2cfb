/// Checks a request again behind the interceptors of the user, who may have changed it: a line break in a header or a
/// method would reach the wire, and a Content-Length of theirs could smuggle a request (RFC 9112 §11.2).
struct RequestCheck: Interceptor {
    func intercept(
        _ request: HTTPRequest, context: CallContext, next: Next
    ) async throws(NetworkError) -> HTTPResponse {
        do throws(NetworkError) {
            try request.validate()
        } catch {
            throw error.describing(request)
        }
        return try await next(request)
    }
}
