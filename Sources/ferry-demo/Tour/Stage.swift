import Ferry
import FerryTesting
import Foundation

/// What a chapter plays on: a server, and a place to show what happens.
struct Stage: Sendable {
    /// Where the calls go.
    let baseURL: URL
    /// The server in this process; nil where the calls go to another one.
    let embedded: DemoServer?
    /// The folder `Fixtures/api`.
    let fixtures: URL
    /// Where to show things.
    let printer: Printer

    /// The server of a chapter that needs one.
    var server: DemoServer {
        get throws {
            guard let embedded else { throw Unexpected("the chapter needs the embedded server") }
            return embedded
        }
    }

    /// A client whose exchanges are shown.
    ///
    /// - Parameters:
    ///   - baseURL: Default: the server's.
    ///   - configure: What the chapter sets.
    func client(
        baseURL: URL? = nil, _ configure: (inout NetworkClient.Configuration) -> Void = { _ in }
    ) -> NetworkClient {
        var configuration = NetworkClient.Configuration(baseURL: baseURL ?? self.baseURL)
        // A server that is not there must not hold the tour up.
        configuration.timeouts.total = .seconds(10)
        configure(&configuration)
        configuration.interceptors.append(WireView(printer: printer, home: self.baseURL))
        return NetworkClient(configuration: configuration)
    }

    /// Shows a typed result, without the module's name that Swift puts before the elements of an array.
    func show(_ value: Any) { printer.result("\(value)".replacing("ferry_demo.", with: "")) }

    /// Fails the chapter where something is not as expected.
    func expect(_ condition: Bool, _ expectation: @autoclosure () -> String) throws {
        guard condition else { throw Unexpected("expected \(expectation())") }
    }

    /// Shows and returns the error that a call must throw.
    func error(of call: () async throws(NetworkError) -> Void) async throws -> NetworkError {
        do throws(NetworkError) {
            try await call()
        } catch {
            show(error)
            return error
        }
        throw Unexpected("expected an error")
    }
}

/// What came was not what a chapter expects.
struct Unexpected: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}
