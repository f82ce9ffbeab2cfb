import FerryTesting
import Foundation

/// Runs a test against a fresh server and stops it, whatever happens.
func withServer<Value>(
    requestLimit: Int = 64 << 20, recordLimit: Int = 100_000, _ body: (LoopbackServer) async throws -> Value
) async throws -> Value {
    let server = try await LoopbackServer.start(requestLimit: requestLimit, recordLimit: recordLimit)
    do {
        let value = try await body(server)
        await server.stop()
        return value
    } catch {
        await server.stop()
        throw error
    }
}
