import Ferry
import FerryTesting
import Foundation

@main
enum Main {
    static func main() async throws {
        let server = try await LoopbackServer.start { server in
            server.on(.get, "/search/repositories") { request in
                guard request.query == "q=swift&per_page=50",
                    request.headers["Accept"] == "application/vnd.github+json"
                else { return .status(400) }
                return .json(#"{"items": [{"name": "ferry", "stars": 3}]}"#)
            }
            server.on(.get, "/users/apple", .json(#"{"login": "apple"}"#))
            server.on(.get, "/users/nobody", .json(#"{"message": "Not Found"}"#).status(404))
            server.script(.get, "/flaky", [.status(503), .status(503), .json(#"{"login": "third time"}"#)])
            server.on(.post, "/repos") { request in
                request.text == #"{"name":"x"}"# ? .json(#"{"name": "x", "stars": 0}"#).status(201) : .status(400)
            }
            server.on(.patch, "/repos/1") { request in
                guard request.query == "notify=false", request.headers["X-Reason"] == "typo",
                    request.headers["Content-Type"] == "application/json"
                else { return .status(400) }
                return .json(#"{"data": {"repo": {"name": "y", "stars": 0}}}"#)
            }
            server.on(.delete, "/repos/1", .status(204))
        }
        try await sample(url: server.baseURL)
        await server.stop()
        print("The sample of the design does what it says (\(server.requestCount) requests).")
    }
}

/// Ends the program with a failure where something is not as it should be.
func check(_ isTrue: Bool, _ what: String, line: Int = #line) {
    guard !isTrue else { return }
    FileHandle.standardError.write(Data("Sample.swift:\(line): not so: \(what)\n".utf8))
    exit(1)
}
