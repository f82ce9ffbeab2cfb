import Ferry
import Foundation
import XCTest

/// Runs a throwing call to its result.
func outcome<Value: Sendable>(
    _ body: () async throws(NetworkError) -> Value
) async -> Result<Value, NetworkError> {
    do throws(NetworkError) { return .success(try await body()) } catch { return .failure(error) }
}

extension Result where Failure == NetworkError {
    var error: NetworkError? { if case .failure(let error) = self { error } else { nil } }
    var value: Success? { try? get() }
}

extension URL {
    /// An address that nobody answers.
    static func test(_ text: String = "https://api.example/items") throws -> URL {
        try XCTUnwrap(URL(string: text))
    }
}
