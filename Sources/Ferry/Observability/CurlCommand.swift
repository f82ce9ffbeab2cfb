import Foundation

/// A request as a command for a POSIX shell that sends it with curl.
///
/// ```swift
/// print(try client.curl(for: call))                        // secrets replaced
/// print(try client.curl(for: call, redaction: .none))      // exact: the same request
/// ```
///
/// Without redaction the command sends the same method, target, fields and content, byte for byte. What no redaction can
/// look into (binary content, files within a form) is not part of a redacted command; a comment says what is missing.
/// Cookies of the jar and credentials of `authorization` join a request when it is sent: an interceptor of yours sees both.
public struct CurlCommand: Sendable {
    /// The command: one line for a terminal or a script. It ends without a line break.
    public let text: String
    /// The same with secrets replaced.
    private let redacted: String

    /// Writes the command of a request.
    ///
    /// - Parameters:
    ///   - request: The request; a body that is still a value is not part of the command, and a comment says so.
    ///   - redaction: What is hidden. Default: what usually is a secret.
    public init(_ request: HTTPRequest, redaction: Redaction = .standard) {
        text = Self.write(request, redaction)
        redacted = redaction.isActive ? text : Self.write(request, .standard)
    }

    private static func write(_ request: HTTPRequest, _ redaction: Redaction) -> String {
        let body = CurlBody(request, redaction: redaction)
        var words = ["curl"]
        var notes = [body.note].compactMap(\.self)
        switch request.method {
        case let method where !method.isValid: notes.append("the method cannot be sent")
        // Told to use HEAD by -X, curl would wait for content.
        case .head: words.append("--head")
        case .get where !body.isPresent: break
        default: words += ["-X", ShellWord.bare(request.method.rawValue)]
        }
        let url = withoutFragment(redaction.url(request.url).absoluteString)
        // Brackets and braces are patterns to curl, and it would resolve dot segments.
        if url.utf8.contains(where: { "[]{}".utf8.contains($0) }) { words.append("--globoff") }
        if url.contains("/.") { words.append("--path-as-is") }
        words.append(ShellWord.quoted(url))
        // No call has them; a request that was made by hand could split the request, or name a file by "@".
        var fields = HTTPHeaders(
            request.headers.filter { FieldSyntax.isToken($0.name) && FieldSyntax.isFieldValue($0.value) })
        if fields.count < request.headers.count { notes.append("fields that cannot be sent are left out") }
        let cookies = fields.values(of: "Cookie")
        if cookies.count > 1 { fields["Cookie"] = cookies.joined(separator: "; ") }  // RFC 6265 §5.4: one line.
        for field in redaction.headers(fields) {
            let value = FieldSyntax.trimmed(field.value)
            // "Name:" removes a field, "Name;" sends it empty.
            words += ["-H", ShellWord.quoted(value.isEmpty ? "\(field.name);" : "\(field.name): \(value)")]
        }
        // What has no content says so where content is usual (RFC 9110 §8.6); curl by itself does not, and some servers
        // answer 411.
        if !body.isPresent, ["POST", "PUT", "PATCH"].contains(request.method.rawValue) {
            words += ["-H", "'Content-Length: 0'"]
        }
        if body.isPresent {
            if !request.headers.contains("Content-Type") {
                let type = request.body.contentType?.description
                words += ["-H", ShellWord.quoted(type.map { "Content-Type: \($0)" } ?? "Content-Type:")]
            }
            // Larger content makes curl ask first.
            if body.mayBeLarge, !request.headers.contains("Expect") { words += ["-H", "'Expect:'"] }
        }
        let command = (words + body.arguments).joined(separator: " ")
        let comment = notes.isEmpty ? "" : "  # " + notes.joined(separator: "; ")
        return (body.source.map { "\($0) | " } ?? "") + command + comment
    }

    private static func withoutFragment(_ url: String) -> String {
        String(decoding: url.utf8.prefix { $0 != UInt8(ascii: "#") }, as: UTF8.self)
    }
}

extension CurlCommand: CustomStringConvertible, CustomReflectable {
    /// The command with secrets replaced, whatever `text` shows.
    public var description: String { redacted }

    /// What the description shows.
    public var customMirror: Mirror { Mirror(self, children: ["command": redacted]) }
}

extension HTTPRequest {
    /// This request as a command for a POSIX shell that sends it with curl.
    ///
    /// - Parameter redaction: What is hidden. Default: what usually is a secret; `.none` gives the exact request.
    public func curl(redaction: Redaction = .standard) -> String { CurlCommand(self, redaction: redaction).text }
}
