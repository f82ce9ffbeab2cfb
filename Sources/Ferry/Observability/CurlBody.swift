import Foundation

/// The content of a request in a command: arguments of curl, and what is piped into it.
struct CurlBody {
    /// Whether there is content.
    private(set) var isPresent = true
    /// Whether curl could find it large enough to ask before it sends it.
    private(set) var mayBeLarge = true
    /// The arguments that name the content.
    private(set) var arguments: [String] = []
    /// The command whose output is the content; nil where the arguments hold it.
    private(set) var source: String?
    /// What the command does not show.
    private(set) var note: String?

    /// A system takes no argument beyond 128 KiB (Linux, MAX_ARG_STRLEN); half of it leaves room for escapes.
    private static let argumentLimit = 64 * 1024
    /// curl asks with `Expect: 100-continue` beyond 1 MiB, older ones beyond 1,024 bytes.
    private static let askedFrom = 1024

    init(_ request: HTTPRequest, redaction: Redaction) {
        switch request.body.content {
        case .none: isPresent = false
        case .data(let data): take(data, request.body.contentType ?? Self.type(of: request), redaction)
        case .file(let url): arguments = ["--data-binary", ShellWord.quoted("@" + Self.path(url))]
        case .segments(let segments): take(segments, Self.type(of: request) ?? request.body.contentType, redaction)
        case .stream, .value, .multipart: miss("the content (\(request.body)) is to be given on standard input")
        }
    }

    /// From the root, so that no path is an option, or the "-" of standard input.
    private static func path(_ file: URL) -> String { file.absoluteURL.path(percentEncoded: false) }

    private static func type(of request: HTTPRequest) -> MediaType? {
        request.headers["Content-Type"].flatMap { MediaType($0) }
    }

    private mutating func take(_ data: Data, _ type: MediaType?, _ redaction: Redaction) {
        var bytes = Array(data)
        if redaction.isActive {
            guard let text = redaction.bodyText(data, contentType: type) else {
                return miss("the content (\(data.count) bytes, binary) is to be given on standard input")
            }
            bytes = Array(text.utf8)
        }
        mayBeLarge = bytes.count > Self.askedFrom
        if bytes.count <= Self.argumentLimit, ShellWord.canQuote(bytes) {
            // Not --data, for which "@" names a file.
            arguments = ["--data-raw", ShellWord.quoted(String(decoding: bytes, as: UTF8.self))]
        } else {
            pipe("printf \(ShellWord.printfFormat(bytes))")
        }
    }

    private mutating func take(_ body: BodySegments, _ type: MediaType?, _ redaction: Redaction) {
        if body.segments.contains(where: { if case .stream = $0 { true } else { false } }) {
            return miss("the content (\(body.length) bytes) is to be given on standard input")
        }
        if redaction.isActive {
            var data = Data()
            var hasFile = false
            for segment in body.segments {
                switch segment {
                case .data(let piece): data += piece
                case .file(_, let length), .stream(_, let length):
                    hasFile = true
                    data += Data("<\(length) bytes>".utf8)
                }
            }
            take(data, type, redaction)
            if hasFile { note = "files are left out" }
        } else {
            let commands = body.segments.map { segment in
                switch segment {
                case .data(let data): "printf \(ShellWord.printfFormat(Array(data)))"
                case .file(let url, _): "cat \(ShellWord.quoted(Self.path(url)))"
                case .stream: "cat"
                }
            }
            pipe(commands.count == 1 ? commands[0] : "{ \(commands.joined(separator: "; ")); }")
        }
    }

    private mutating func pipe(_ command: String) {
        source = command
        arguments = ["--data-binary", "@-"]
    }

    private mutating func miss(_ note: String) {
        arguments = ["--data-binary", "@-"]
        self.note = note
    }
}
