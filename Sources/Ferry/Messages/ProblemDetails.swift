import Foundation

/// Problem details of an HTTP API (RFC 9457).
public struct ProblemDetails: Hashable, Sendable {
    /// A URI reference that names the kind of problem; `about:blank` where absent (§3.1.1).
    public let type: String
    /// A short summary of the kind of problem (§3.1.3).
    public let title: String?
    /// The status that the server meant (§3.1.2).
    public let status: Int?
    /// What happened in this case (§3.1.4).
    public let detail: String?
    /// A URI reference that names this occurrence (§3.1.5).
    public let instance: String?
}

extension ProblemDetails: Decodable {
    private enum CodingKeys: String, CodingKey {
        case type, title, status, detail, instance
    }

    /// Reads the members; one of a wrong type is ignored, as §3.1 asks.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        func member<Value: Decodable>(_ key: CodingKeys) -> Value? {
            (try? container.decodeIfPresent(Value.self, forKey: key)) ?? nil
        }
        type = member(.type) ?? "about:blank"
        title = member(.title)
        status = member(.status)
        detail = member(.detail)
        instance = member(.instance)
    }
}

extension ProblemDetails: CustomStringConvertible, CustomReflectable {
    /// The status alone: the rest is the server's text, and may be secret.
    public var description: String { status.map { "problem with status \($0)" } ?? "problem" }

    /// What the description shows.
    public var customMirror: Mirror { Mirror(self, children: ["problem": description]) }
}
