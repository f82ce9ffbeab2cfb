import Ferry
import Foundation

/// Asks for the status of a URL, whatever it is.
enum HTTPStatusProbe {
    static func status(of url: URL) async throws -> Int {
        do throws(NetworkError) {
            return try await NetworkClient.shared.response(NetworkCall(url: url), as: Nothing.self).status.code
        } catch {
            guard let status = error.status else { throw error }
            return status.code
        }
    }
}
