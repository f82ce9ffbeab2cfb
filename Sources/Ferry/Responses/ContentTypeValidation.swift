package import Foundation

/// Which content types a call accepts; opt-in.
///
/// ```swift
/// call.contentTypes = .json
/// call.contentTypes = .types([.json, .html])
/// ```
///
/// Compared without case and parameters (RFC 9110 §8.3.1). A range with `application/json` accepts every JSON type:
/// `text/json` and the `+json` suffix too (RFC 6838 §4.2.8, WHATWG MIME Sniffing). A response with another type is
/// refused also where its content is empty, but for 204, 205 and 304, which have none to describe.
///
/// A response with content and no Content-Type is accepted unless `requiresContentType` is set: the recipient may then
/// look for itself (RFC 9110 §8.3). A malformed Content-Type is refused.
public struct ContentTypeValidation: Hashable, Sendable {
    /// The accepted types and ranges, such as `image/*`.
    public let accepted: [MediaType]
    /// Whether content must have a Content-Type. Default false.
    public let requiresContentType: Bool

    /// Creates a rule.
    ///
    /// - Parameters:
    ///   - accepted: Types and ranges; parameters do not count.
    ///   - requiresContentType: Whether to refuse content without a Content-Type. Default false.
    public init(_ accepted: [MediaType], requiresContentType: Bool = false) {
        self.accepted = accepted
        self.requiresContentType = requiresContentType
    }

    /// Accepts JSON.
    public static let json = ContentTypeValidation([.json])

    /// Accepts these types and ranges, such as `[.json, .html]`.
    public static func types(_ accepted: [MediaType]) -> ContentTypeValidation { ContentTypeValidation(accepted) }

    /// Whether a type is accepted.
    public func accepts(_ type: MediaType) -> Bool {
        accepted.contains { type.matches($0) || $0.essence == MediaType.json.essence && type.isJSON }
    }

    /// Checks a response.
    ///
    /// - Throws: `NetworkError` of kind `contentType`.
    package func validate(head: HTTPResponse.Head, body: Data, decoder: JSONDecoder) throws(NetworkError) {
        let hasNoContent = body.isEmpty && (head.status.forbidsBody || head.status == .resetContent)
        guard !hasNoContent else { return }
        let found: String
        if head.headers.contains("Content-Type") {
            let type = head.contentType
            if let type, accepts(type) { return }
            found = type?.essence ?? "malformed"
        } else {
            guard requiresContentType, !body.isEmpty else { return }
            found = "missing"
        }
        let wanted = accepted.map(\.essence).joined(separator: ", ")
        throw NetworkError(.contentType, "The content type is \(found), and the call accepts \(wanted)").with {
            $0.keep(head: head, body: body, decoder: decoder)
        }
    }
}
