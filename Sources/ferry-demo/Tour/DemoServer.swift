import Ferry
import FerryTesting
import Foundation

/// The server of the tour: the files of `Fixtures/api`, an echo, and what a chapter adds.
struct DemoServer: Sendable {
    /// The server, to which chapters add routes of their own.
    let loopback: LoopbackServer
    private let fixtures: URL

    /// Starts it.
    ///
    /// - Parameter fixtures: The folder `Fixtures/api`.
    init(fixtures: URL) async throws(NetworkError) {
        self.fixtures = fixtures
        loopback = try await LoopbackServer.start { server in
            server.fallback { Self.file($0, in: fixtures) }
            for method in [HTTPMethod.post, .put, .patch, .delete] { server.on(method, "/echo", Self.echo) }
        }
    }

    /// A fixture as an answer.
    ///
    /// - Parameters:
    ///   - name: Its name in `Fixtures/api`.
    ///   - status: The status.
    ///   - contentType: Default: by the extension.
    func fixture(_ name: String, status: HTTPStatus, contentType: MediaType? = nil) throws -> LoopbackResponse {
        let file = fixtures.appending(path: name)
        return .data(
            try Data(contentsOf: file), contentType: contentType ?? Self.type(of: file.pathExtension), status: status)
    }

    /// What a static file server does.
    private static func file(_ request: LoopbackRequest, in folder: URL) -> LoopbackResponse {
        guard request.method == .get || request.method == .head else { return .status(405) }
        let segments = request.path.split(separator: "/").map { $0.removingPercentEncoding ?? ".." }
        let isSafe = segments.allSatisfy { $0 != ".." && !$0.utf8.contains(UInt8(ascii: "/")) }
        let file = folder.appending(path: segments.joined(separator: "/"))
        guard isSafe, let content = try? Data(contentsOf: file) else {
            return .text("There is no \(request.path)", status: .notFound)
        }
        return .data(content, contentType: type(of: file.pathExtension))
    }

    /// Sends the content back as it came; 204 where there is none.
    @Sendable private static func echo(_ request: LoopbackRequest) -> LoopbackResponse {
        guard !request.body.isEmpty else { return .status(.noContent) }
        return .data(request.body, contentType: request.headers["Content-Type"].flatMap { MediaType($0) })
    }

    private static func type(of fileExtension: String) -> MediaType {
        switch fileExtension {
        case "json": .json
        case "html": .html
        case "sse": .eventStream
        case "ndjson": .ndjson
        default: .octetStream
        }
    }
}
