#if canImport(FoundationNetworking)
    public import Foundation
    public import FoundationNetworking
#else
    public import Foundation
#endif

/// Calls, typed by an Api or by what the caller asks for.
///
/// Every function throws `NetworkError` and nothing else, for an error status as for a failure on the way, and
/// `cancelled` promptly when its task is cancelled.
extension NetworkClient {
    /// Makes a call that is described as a type.
    ///
    /// - Returns: The value, decoded as the Api says.
    public nonisolated func request<A: Api>(_ api: A) async throws(NetworkError) -> A.Response {
        try await response(api).value
    }

    /// Makes a call and decodes the response.
    ///
    /// - Parameters:
    ///   - call: The call.
    ///   - type: What to decode; inferred where possible.
    public nonisolated func request<Value: Decodable & Sendable>(
        _ call: NetworkCall, as type: Value.Type = Value.self
    ) async throws(NetworkError) -> Value {
        try await response(call, as: type).value
    }

    /// Makes a call whose content does not matter.
    public nonisolated func request(_ call: NetworkCall) async throws(NetworkError) {
        _ = try await response(call, as: Nothing.self)
    }

    /// Makes a call that is described as a type, and gives the value with its response.
    public nonisolated func response<A: Api>(_ api: A) async throws(NetworkError) -> Response<A.Response> {
        try await make(api.call) { content throws(NetworkError) in try api.decode(content) }
    }

    /// Makes a call, and gives the decoded value with its response.
    ///
    /// - Parameters:
    ///   - call: The call.
    ///   - type: What to decode; inferred where possible.
    public nonisolated func response<Value: Decodable & Sendable>(
        _ call: NetworkCall, as type: Value.Type = Value.self
    ) async throws(NetworkError) -> Response<Value> {
        try await make(call) { content throws(NetworkError) in try content.decode() }
    }

    /// Makes a call and gives the content's bytes.
    public nonisolated func data(_ call: NetworkCall) async throws(NetworkError) -> Data {
        try await make(call) { $0.body }.value
    }

    /// Makes a call and gives the content's text, by the charset of its content type; UTF-8 where it has none.
    public nonisolated func string(_ call: NetworkCall) async throws(NetworkError) -> String {
        try await response(call, as: String.self).value
    }

    /// Makes a call and gives the content's JSON, whatever it is.
    public nonisolated func json(_ call: NetworkCall) async throws(NetworkError) -> JSON {
        try await response(call, as: JSON.self).value
    }

    /// The URLRequest that a call makes, without sending it.
    ///
    /// What interceptors add below (cookies, credentials) is not part of it; nor is the content of a file or a stream.
    ///
    /// - Throws: `NetworkError` where the call cannot be built.
    public nonisolated func urlRequest(for call: NetworkCall) throws(NetworkError) -> URLRequest {
        var request = URLRequest(try builder.request(for: call))
        let timeouts = call.timeouts ?? configuration.timeouts
        if let idle = timeouts.idle { request.timeoutInterval = max(1, min(idle.seconds, 7 * 24 * 3600).rounded(.up)) }
        return request
    }

    /// The URLRequest that a call makes, without sending it.
    ///
    /// - Throws: `NetworkError` where the call cannot be built.
    public nonisolated func urlRequest(for api: some Api) throws(NetworkError) -> URLRequest {
        try urlRequest(for: api.call)
    }
}
