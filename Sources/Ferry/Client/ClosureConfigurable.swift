public import Foundation

/// Gives a client its initializer with a configuration closure.
///
/// It stands in a protocol because an initializer of an actor itself sends its arguments into the actor: a closure that
/// captures anything not `Sendable`, such as `self` of an ordinary class, would not compile. Here the closure runs before
/// there is an actor.
public protocol ClosureConfigurable: Sendable {
    /// Creates a client from a finished configuration.
    init(configuration: NetworkClient.Configuration)
}

extension ClosureConfigurable {
    /// Creates a client.
    ///
    /// A base URL that cannot be used is reported by each call, with `NetworkError.Kind.invalidURL`.
    ///
    /// - Parameters:
    ///   - baseURL: Where paths are appended, such as `https://api.example.com/v1`; nil for absolute URLs alone.
    ///   - configure: Changes the default configuration. Default: nothing.
    public init(baseURL: URL?, configure: (inout NetworkClient.Configuration) -> Void = { _ in }) {
        var configuration = NetworkClient.Configuration(baseURL: baseURL)
        configure(&configuration)
        self.init(configuration: configuration)
    }
}
