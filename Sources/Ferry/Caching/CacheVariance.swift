package import Foundation

/// What a request must have for a stored response to answer it beyond the URL: the fields that Vary names
/// (RFC 9111 §4.1), the method and content, and the credential.
///
/// Values are kept as digests alone: a cookie or a token that selects a response is not written to disk.
public struct CacheVariance: Hashable, Sendable {
    /// A field and the digest of its value; nil where the request did not have the field.
    package struct Field: Hashable, Sendable {
        package let name: String
        package let digest: String?
    }

    /// Sorted by name.
    package let fields: [Field]
    /// The digest of the credential that was sent; empty where none was.
    package let credential: String
    /// The method and the digest of the content where the method is not GET; empty for GET.
    package let target: String

    /// Tells variants of one URL apart: 32 hexadecimal digits.
    package let id: String

    package init(fields: [Field], credential: String, target: String) {
        self.fields = fields
        self.credential = credential
        self.target = target
        var text = "\(credential)\n\(target)"
        for field in fields { text += "\n\(field.name)=\(field.digest ?? "-")" }
        id = KeyDigest.hex(text, bytes: 16)
    }

    /// The variance of a response that came for a request; nil where Vary is `*` or malformed.
    package init?(headers: HTTPHeaders, request: VaryingRequest) {
        guard let names = Self.names(headers) else { return nil }
        self.init(
            fields: names.sorted().map { Field(name: $0, digest: request.digest(of: $0)) },
            credential: request.credential, target: request.target)
    }

    /// Whether the request has what this asks for.
    package func matches(_ request: VaryingRequest) -> Bool {
        credential == request.credential && target == request.target
            && fields.allSatisfy { $0.digest == request.digest(of: $0.name) }
    }

    /// The names in Vary, in lower case; nil where one is `*` or no name.
    package static func names(_ headers: HTTPHeaders) -> Set<String>? {
        guard let names = FieldNames.parse(headers.values(of: "Vary")), !names.contains("*") else { return nil }
        return names
    }

    /// A value, normalised as §4.1 allows: lines joined, and no white space around the commas between elements.
    package static func normalized(_ lines: [String]) -> String {
        var result: [UInt8] = []
        var pending: [UInt8] = []
        var isQuoted = false
        var isEscaped = false
        for byte in lines.joined(separator: ",").utf8 {
            if isQuoted {
                result.append(byte)
                if isEscaped {
                    isEscaped = false
                } else if byte == UInt8(ascii: "\\") {
                    isEscaped = true
                } else if byte == UInt8(ascii: "\"") {
                    isQuoted = false
                }
                continue
            }
            if FieldSyntax.isWhitespace(byte) {
                pending.append(byte)
                continue
            }
            let isComma = byte == UInt8(ascii: ",")
            if !isComma, let last = result.last, last != UInt8(ascii: ",") { result += pending }
            pending = []
            result.append(byte)
            isQuoted = byte == UInt8(ascii: "\"")
        }
        return String(decoding: result, as: UTF8.self)
    }
}

/// What a request has that responses may vary by.
package struct VaryingRequest: Sendable {
    private let headers: HTTPHeaders
    package let credential: String
    package let target: String

    /// - Parameters:
    ///   - request: The request as it goes out.
    ///   - asked: The request as it came to the cache.
    ///   - credentialFields: Names of the fields, in lower case, that steps below the cache set.
    ///   - method: The method that the stored response answers: GET also where HEAD asks.
    package init(_ request: HTTPRequest, asked: HTTPRequest, credentialFields: Set<String>, method: HTTPMethod) {
        headers = request.headers
        var secret = ""
        for name in credentialFields.union(["authorization", "x-api-key"]).sorted() {
            let lines = request.headers.values(of: name)
            if !lines.isEmpty { secret += "\(name): \(lines.joined(separator: "\n"))\n" }
        }
        // A key in the query.
        if request.url != asked.url { secret += request.url.absoluteString }
        credential = secret.isEmpty ? "" : KeyDigest.hex(secret, bytes: 16)
        target = method == .get ? "" : "\(method) \(KeyDigest.hex(asked.body.inMemory ?? Data(), bytes: 16))"
    }

    package func digest(of name: String) -> String? {
        let lines = headers.values(of: name)
        return lines.isEmpty ? nil : KeyDigest.hex(CacheVariance.normalized(lines), bytes: 16)
    }
}

extension RequestBody {
    /// The content where it is in memory; nil for other content.
    package var inMemory: Data? {
        switch content {
        case .none: Data()
        case .data(let data): data
        default: nil
        }
    }
}
