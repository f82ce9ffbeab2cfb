public import Foundation

/// One-off calls by verb, to a path below the base URL or to an absolute URL.
///
/// Each throws as `request` does.
extension NetworkClient {
    /// GET and decodes the response.
    ///
    /// - Parameters:
    ///   - path: Appended to the base URL's path.
    ///   - query: Default none.
    ///   - headers: Default none.
    /// - Returns: The decoded value, of the type that the caller asks for.
    public nonisolated func get<Value: Decodable & Sendable>(
        _ path: String, query: Parameters = [:], headers: HTTPHeaders = [:]
    ) async throws(NetworkError) -> Value {
        try await request(NetworkCall(.get, path, query: query, headers: headers))
    }

    /// GET and decodes the response.
    ///
    /// - Parameters:
    ///   - url: An http or https URL.
    ///   - query: Default none.
    ///   - headers: Default none.
    /// - Returns: The decoded value, of the type that the caller asks for.
    public nonisolated func get<Value: Decodable & Sendable>(
        url: URL, query: Parameters = [:], headers: HTTPHeaders = [:]
    ) async throws(NetworkError) -> Value {
        try await request(NetworkCall(.get, url: url, query: query, headers: headers))
    }

    /// POST and decodes the response.
    ///
    /// - Parameters:
    ///   - path: Appended to the base URL's path.
    ///   - body: The content. Default none.
    ///   - query: Default none.
    ///   - headers: Default none.
    /// - Returns: The decoded value, of the type that the caller asks for.
    public nonisolated func post<Value: Decodable & Sendable>(
        _ path: String, body: RequestBody = .none, query: Parameters = [:], headers: HTTPHeaders = [:]
    ) async throws(NetworkError) -> Value {
        try await request(NetworkCall(.post, path, query: query, headers: headers, body: body))
    }

    /// POST; the content of the response does not matter.
    ///
    /// - Parameters:
    ///   - path: Appended to the base URL's path.
    ///   - body: The content. Default none.
    ///   - query: Default none.
    ///   - headers: Default none.
    public nonisolated func post(
        _ path: String, body: RequestBody = .none, query: Parameters = [:], headers: HTTPHeaders = [:]
    ) async throws(NetworkError) {
        try await request(NetworkCall(.post, path, query: query, headers: headers, body: body))
    }

    /// POST and decodes the response.
    ///
    /// - Parameters:
    ///   - url: An http or https URL.
    ///   - body: The content. Default none.
    ///   - query: Default none.
    ///   - headers: Default none.
    /// - Returns: The decoded value, of the type that the caller asks for.
    public nonisolated func post<Value: Decodable & Sendable>(
        url: URL, body: RequestBody = .none, query: Parameters = [:], headers: HTTPHeaders = [:]
    ) async throws(NetworkError) -> Value {
        try await request(NetworkCall(.post, url: url, query: query, headers: headers, body: body))
    }

    /// POST; the content of the response does not matter.
    ///
    /// - Parameters:
    ///   - url: An http or https URL.
    ///   - body: The content. Default none.
    ///   - query: Default none.
    ///   - headers: Default none.
    public nonisolated func post(
        url: URL, body: RequestBody = .none, query: Parameters = [:], headers: HTTPHeaders = [:]
    ) async throws(NetworkError) {
        try await request(NetworkCall(.post, url: url, query: query, headers: headers, body: body))
    }

    /// PUT and decodes the response.
    ///
    /// - Parameters:
    ///   - path: Appended to the base URL's path.
    ///   - body: The content. Default none.
    ///   - query: Default none.
    ///   - headers: Default none.
    /// - Returns: The decoded value, of the type that the caller asks for.
    public nonisolated func put<Value: Decodable & Sendable>(
        _ path: String, body: RequestBody = .none, query: Parameters = [:], headers: HTTPHeaders = [:]
    ) async throws(NetworkError) -> Value {
        try await request(NetworkCall(.put, path, query: query, headers: headers, body: body))
    }

    /// PUT; the content of the response does not matter.
    ///
    /// - Parameters:
    ///   - path: Appended to the base URL's path.
    ///   - body: The content. Default none.
    ///   - query: Default none.
    ///   - headers: Default none.
    public nonisolated func put(
        _ path: String, body: RequestBody = .none, query: Parameters = [:], headers: HTTPHeaders = [:]
    ) async throws(NetworkError) {
        try await request(NetworkCall(.put, path, query: query, headers: headers, body: body))
    }

    /// PUT and decodes the response.
    ///
    /// - Parameters:
    ///   - url: An http or https URL.
    ///   - body: The content. Default none.
    ///   - query: Default none.
    ///   - headers: Default none.
    /// - Returns: The decoded value, of the type that the caller asks for.
    public nonisolated func put<Value: Decodable & Sendable>(
        url: URL, body: RequestBody = .none, query: Parameters = [:], headers: HTTPHeaders = [:]
    ) async throws(NetworkError) -> Value {
        try await request(NetworkCall(.put, url: url, query: query, headers: headers, body: body))
    }

    /// PUT; the content of the response does not matter.
    ///
    /// - Parameters:
    ///   - url: An http or https URL.
    ///   - body: The content. Default none.
    ///   - query: Default none.
    ///   - headers: Default none.
    public nonisolated func put(
        url: URL, body: RequestBody = .none, query: Parameters = [:], headers: HTTPHeaders = [:]
    ) async throws(NetworkError) {
        try await request(NetworkCall(.put, url: url, query: query, headers: headers, body: body))
    }

    /// PATCH and decodes the response.
    ///
    /// - Parameters:
    ///   - path: Appended to the base URL's path.
    ///   - body: The content. Default none.
    ///   - query: Default none.
    ///   - headers: Default none.
    /// - Returns: The decoded value, of the type that the caller asks for.
    public nonisolated func patch<Value: Decodable & Sendable>(
        _ path: String, body: RequestBody = .none, query: Parameters = [:], headers: HTTPHeaders = [:]
    ) async throws(NetworkError) -> Value {
        try await request(NetworkCall(.patch, path, query: query, headers: headers, body: body))
    }

    /// PATCH; the content of the response does not matter.
    ///
    /// - Parameters:
    ///   - path: Appended to the base URL's path.
    ///   - body: The content. Default none.
    ///   - query: Default none.
    ///   - headers: Default none.
    public nonisolated func patch(
        _ path: String, body: RequestBody = .none, query: Parameters = [:], headers: HTTPHeaders = [:]
    ) async throws(NetworkError) {
        try await request(NetworkCall(.patch, path, query: query, headers: headers, body: body))
    }

    /// PATCH and decodes the response.
    ///
    /// - Parameters:
    ///   - url: An http or https URL.
    ///   - body: The content. Default none.
    ///   - query: Default none.
    ///   - headers: Default none.
    /// - Returns: The decoded value, of the type that the caller asks for.
    public nonisolated func patch<Value: Decodable & Sendable>(
        url: URL, body: RequestBody = .none, query: Parameters = [:], headers: HTTPHeaders = [:]
    ) async throws(NetworkError) -> Value {
        try await request(NetworkCall(.patch, url: url, query: query, headers: headers, body: body))
    }

    /// PATCH; the content of the response does not matter.
    ///
    /// - Parameters:
    ///   - url: An http or https URL.
    ///   - body: The content. Default none.
    ///   - query: Default none.
    ///   - headers: Default none.
    public nonisolated func patch(
        url: URL, body: RequestBody = .none, query: Parameters = [:], headers: HTTPHeaders = [:]
    ) async throws(NetworkError) {
        try await request(NetworkCall(.patch, url: url, query: query, headers: headers, body: body))
    }

    /// DELETE and decodes the response.
    ///
    /// - Parameters:
    ///   - path: Appended to the base URL's path.
    ///   - body: The content. Default none.
    ///   - query: Default none.
    ///   - headers: Default none.
    /// - Returns: The decoded value, of the type that the caller asks for.
    public nonisolated func delete<Value: Decodable & Sendable>(
        _ path: String, body: RequestBody = .none, query: Parameters = [:], headers: HTTPHeaders = [:]
    ) async throws(NetworkError) -> Value {
        try await request(NetworkCall(.delete, path, query: query, headers: headers, body: body))
    }

    /// DELETE; the content of the response does not matter.
    ///
    /// - Parameters:
    ///   - path: Appended to the base URL's path.
    ///   - body: The content. Default none.
    ///   - query: Default none.
    ///   - headers: Default none.
    public nonisolated func delete(
        _ path: String, body: RequestBody = .none, query: Parameters = [:], headers: HTTPHeaders = [:]
    ) async throws(NetworkError) {
        try await request(NetworkCall(.delete, path, query: query, headers: headers, body: body))
    }

    /// DELETE and decodes the response.
    ///
    /// - Parameters:
    ///   - url: An http or https URL.
    ///   - body: The content. Default none.
    ///   - query: Default none.
    ///   - headers: Default none.
    /// - Returns: The decoded value, of the type that the caller asks for.
    public nonisolated func delete<Value: Decodable & Sendable>(
        url: URL, body: RequestBody = .none, query: Parameters = [:], headers: HTTPHeaders = [:]
    ) async throws(NetworkError) -> Value {
        try await request(NetworkCall(.delete, url: url, query: query, headers: headers, body: body))
    }

    /// DELETE; the content of the response does not matter.
    ///
    /// - Parameters:
    ///   - url: An http or https URL.
    ///   - body: The content. Default none.
    ///   - query: Default none.
    ///   - headers: Default none.
    public nonisolated func delete(
        url: URL, body: RequestBody = .none, query: Parameters = [:], headers: HTTPHeaders = [:]
    ) async throws(NetworkError) {
        try await request(NetworkCall(.delete, url: url, query: query, headers: headers, body: body))
    }

    /// HEAD: status and fields, without content.
    ///
    /// - Parameters:
    ///   - path: Appended to the base URL's path.
    ///   - query: Default none.
    ///   - headers: Default none.
    public nonisolated func head(
        _ path: String, query: Parameters = [:], headers: HTTPHeaders = [:]
    ) async throws(NetworkError) -> HTTPResponse.Head {
        try await response(NetworkCall(.head, path, query: query, headers: headers), as: Nothing.self).head
    }

    /// HEAD: status and fields, without content.
    ///
    /// - Parameters:
    ///   - url: An http or https URL.
    ///   - query: Default none.
    ///   - headers: Default none.
    public nonisolated func head(
        url: URL, query: Parameters = [:], headers: HTTPHeaders = [:]
    ) async throws(NetworkError) -> HTTPResponse.Head {
        try await response(NetworkCall(.head, url: url, query: query, headers: headers), as: Nothing.self).head
    }
}
