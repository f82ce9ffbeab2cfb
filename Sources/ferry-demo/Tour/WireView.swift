import Ferry
import Foundation

/// Shows each exchange as the transport gets it: an interceptor that changes nothing.
struct WireView: Interceptor {
    let printer: Printer
    /// The server that needs no mention.
    let home: URL

    func intercept(
        _ request: HTTPRequest, context: CallContext, next: Next
    ) async throws(NetworkError) -> HTTPResponse {
        printer.sent(Self.lines(of: request, home: home))
        let start = context.clock.now
        do throws(NetworkError) {
            let response = try await next(request)
            printer.received(Self.lines(of: response, after: context.clock.now - start))
            return response
        } catch {
            printer.received(["no response: \(error.kind)"])
            throw error
        }
    }

    /// Request line, host where it is another, fields, and a short body.
    static func lines(of request: HTTPRequest, home: URL) -> [String] {
        let path = request.url.path(percentEncoded: true)
        let query = request.url.query(percentEncoded: true).map { "?\($0)" } ?? ""
        var lines = ["\(request.method) \(path.isEmpty ? "/" : path)\(query)"]
        if (request.url.host(), request.url.port) != (home.host(), home.port) {
            lines.append("Host: \(request.url.host() ?? "")\(request.url.port.map { ":\($0)" } ?? "")")
        }
        lines += request.headers.map { "\($0.name): \($0.value)" }
        if case .data(let body) = request.body.content, !body.isEmpty, body.count <= 200 {
            lines.append(String(decoding: body, as: UTF8.self))
        }
        return lines
    }

    /// Status, size and time, and the fields that lead to something.
    static func lines(of response: HTTPResponse, after time: Duration) -> [String] {
        var line = "\(response.status)"
        if case .data(let body) = response.body { line += ", \(body.count) bytes" }
        line +=
            response.source == .mock ? ", a mock: nothing was sent" : ", \(Int((time / .milliseconds(1)).rounded())) ms"
        let telling = ["Location", "Set-Cookie", "Retry-After"]
        return [line] + response.headers.filter { telling.contains($0.name) }.map { "\($0.name): \($0.value)" }
    }
}
