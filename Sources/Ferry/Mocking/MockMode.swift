/// Whether a client answers from the mock responses that its calls carry.
///
/// ```swift
/// let client = NetworkClient(baseURL: url) {
///     $0.mocking = .on(.directory(fixtures))
/// }
/// ```
///
/// A client in mock mode never touches the network: a call without a mock response fails with
/// `NetworkError.Kind.mock`.
public enum MockMode: Sendable {
    /// Calls go to the network; their mock responses are not looked at. The default.
    case off
    /// Calls are answered by their mock responses, with files from a source. Without a source, for mocks that carry
    /// their content.
    case on(FixtureSource = .empty)

    /// Whether calls are answered by their mock responses.
    public var isOn: Bool { if case .on = self { true } else { false } }
}

/// The mock response that a call carries.
package enum MockResponseKey: CallOptionKey {
    package typealias Value = MockResponse
}

/// The transport of a client in mock mode: answers each call with the mock response that it carries.
package struct MockModeTransport: Transport {
    private let fixtures: FixtureSource

    /// Creates the transport.
    ///
    /// - Parameter fixtures: Where fixture files are found.
    package init(fixtures: FixtureSource) { self.fixtures = fixtures }

    package func send(_ request: HTTPRequest, context: CallContext) async throws(NetworkError) -> HTTPResponse {
        guard let mock = context.options[MockResponseKey.self] else {
            throw NetworkError(
                .mock,
                "The client is in mock mode and \(request.method) \(request.url.redacted) has no mockResponse; "
                    + "nothing was sent"
            ).describing(request)
        }
        return try await MockedExchange.respond(to: request, with: mock, fixtures: fixtures, context: context)
    }
}
