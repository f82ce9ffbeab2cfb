import Ferry
import FerryTesting
import Foundation

/// The server: a process of its own, so that its cost is not the client's.
enum BenchServer {
    /// A JSON of 943 bytes, as a small API call answers.
    static let json: Data = {
        let item = #"{"id":ID,"name":"a repository","stars":4711,"private":false,"topics":["swift","http","json"]}"#
        let items = (1...9).map { item.replacingOccurrences(of: "ID", with: "\($0)") }.joined(separator: ",")
        let text = #"{"total":9,"items":["# + items + #"],"note":""#
        return Data((text + String(repeating: "x", count: 943 - text.utf8.count - 2) + #""}"#).utf8)
    }()

    /// The fields that a typical API adds to Content-Type and Content-Length: both sides pay for each field, and not
    /// alike.
    private static let typicalFields: [(String, String)] = [
        ("Server", "nginx"), ("Date", "Mon, 30 Nov 2026 06:00:00 GMT"), ("Vary", "Accept-Encoding"),
        ("Cache-Control", "private, max-age=0, must-revalidate"), ("ETag", #""5d8c72a5edda8d6a""#),
        ("X-Request-Id", "7b1f5c0e-5a8e-4a8c-9d0e-3c1f2b6a7d88"), ("Strict-Transport-Security", "max-age=31536000"),
        ("X-Content-Type-Options", "nosniff"),
    ]

    /// What `json` decodes to.
    struct Page: Decodable, Sendable {
        struct Item: Decodable, Sendable {
            let id: Int
            let name: String
            let stars: Int
            let `private`: Bool
            let topics: [String]
        }
        let total: Int
        let items: [Item]
    }

    /// Serves until standard input closes.
    static func run() async throws {
        let server = try await LoopbackServer.start(recordLimit: 0)
        let bare = LoopbackResponse.data(json, contentType: .json)
        let answer = typicalFields.reduce(bare) { $0.header($1.0, $1.1) }
        server.on(.get, "/json", answer)
        #if os(Linux)
            CurlWorks.routes(server)
        #endif
        server.on(.get, "/stream/{count}") { request in
            let count = Int(request.pathParameters["count"] ?? "") ?? 0
            return .stream(contentLength: count) { writer in
                let piece = Data(repeating: 0x5A, count: 256 << 10)
                var rest = count
                while rest > 0 {
                    try await writer.write(rest < piece.count ? piece.prefix(rest) : piece)
                    rest -= piece.count
                }
            }
        }
        server.onStreaming(.post, "/upload") { _, body in .text("\(try await body.drain())") }
        Standard.output("\(server.port)")
        // The server has threads of its own; this one only waits for the end.
        while let data = try FileHandle.standardInput.read(upToCount: 1024), !data.isEmpty {}
        await server.stop()
    }
}

/// A running server process.
final class ServerProcess {
    let baseURL: URL
    private let process: Process
    private let input: Pipe

    init() throws {
        process = Process()
        process.executableURL = try Self.executable()
        process.arguments = ["serve"]
        input = Pipe()
        let output = Pipe()
        process.standardInput = input
        process.standardOutput = output
        try process.run()
        var line = Data()
        while line.last != UInt8(ascii: "\n"), let byte = try output.fileHandleForReading.read(upToCount: 1),
            !byte.isEmpty
        {
            line += byte
        }
        let port = String(decoding: line.dropLast(), as: UTF8.self)
        guard Int(port) != nil, let url = URL(string: "http://127.0.0.1:\(port)") else {
            throw Failure(message: "The server did not start")
        }
        baseURL = url
    }

    func stop() {
        try? input.fileHandleForWriting.close()
        process.waitUntilExit()
    }

    static func executable() throws -> URL {
        guard let url = Bundle.main.executableURL else { throw Failure(message: "The executable was not found") }
        return url
    }
}

/// Why a measurement is impossible.
struct Failure: Error, CustomStringConvertible {
    let message: String
    var description: String { message }
}
