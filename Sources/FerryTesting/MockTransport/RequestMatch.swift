public import Ferry
public import Foundation

/// What a route asks of a request besides method and path.
///
/// ```swift
/// let mock = MockTransport()
/// mock.on(.post, "/users", matching: [.json(["name": "Ada"]), .header("X-Tenant", "7")], .status(201))
/// ```
public struct RequestMatch: Sendable, CustomStringConvertible {
    /// What is asked for, in words.
    public let description: String
    let test: @Sendable (RecordedRequest) -> Bool

    /// Asks what a closure asks.
    ///
    /// - Parameters:
    ///   - description: The same in words, for failures.
    ///   - test: Whether the request is the right one.
    public init(_ description: String, _ test: @escaping @Sendable (RecordedRequest) -> Bool) {
        self.description = description
        self.test = test
    }

    /// A rule whose words hold values: a message of a failed test must not show a secret among them.
    private init(redacting description: String, _ test: @escaping @Sendable (RecordedRequest) -> Bool) {
        self.init(Redaction.standard.text(description), test)
    }

    /// The query has this pair, among others.
    public static func query(_ name: String, _ value: String) -> RequestMatch {
        RequestMatch(redacting: "query \(name)=\(value)") { request in
            request.queryItems.contains { $0.name == name && ($0.value ?? "") == value }
        }
    }

    /// The query has exactly these pairs, in any order.
    public static func exactQuery(_ items: KeyValuePairs<String, String>) -> RequestMatch {
        let expected = items.map { "\($0)=\($1)" }.sorted()
        return RequestMatch(redacting: "query exactly \(expected.joined(separator: "&"))") { request in
            request.queryItems.map { "\($0.name)=\($0.value ?? "")" }.sorted() == expected
        }
    }

    /// The query has a pair of this name, with whatever value or none.
    public static func hasQuery(_ name: String) -> RequestMatch {
        RequestMatch("query \(name)") { request in request.queryItems.contains { $0.name == name } }
    }

    /// A header field has this value: that of one of its lines, or of all of them joined by ", ".
    public static func header(_ name: String, _ value: String) -> RequestMatch {
        RequestMatch("header \(name)") { $0.headers[name] == value || $0.headers.values(of: name).contains(value) }
    }

    /// There is a header field of this name.
    public static func hasHeader(_ name: String) -> RequestMatch {
        RequestMatch("header \(name)") { $0.headers.contains(name) }
    }

    /// The opposite of another match.
    public static func not(_ match: RequestMatch) -> RequestMatch {
        RequestMatch("not \(match.description)") { !match.test($0) }
    }

    /// The body is JSON that has all of this: each member of an object, at any depth; arrays element by element.
    ///
    /// Numbers compare by value: 1, 1.0 and 1e0 are equal. A null is a member that is there; an absent one is none.
    public static func json(_ subset: JSON) -> RequestMatch {
        RequestMatch(redacting: "JSON body with \(subset.shown)") { request in
            (try? request.json).map { $0.contains(subset) } ?? false
        }
    }

    /// The body is JSON that is equal to this.
    public static func exactJSON(_ value: JSON) -> RequestMatch {
        RequestMatch(redacting: "JSON body \(value.shown)") { (try? $0.json) == value }
    }

    /// The body contains this text.
    public static func bodyContains(_ text: String) -> RequestMatch {
        RequestMatch(redacting: "body containing \(text.debugDescription)") {
            $0.body.range(of: Data(text.utf8)) != nil
        }
    }

    /// The request has no body, or an empty one.
    public static let noBody = RequestMatch("no body") { $0.body.isEmpty }

    /// The body is exactly these bytes.
    public static func body(_ data: Data) -> RequestMatch {
        RequestMatch("body of \(data.count) given bytes") { $0.body == data }
    }

    /// The form body has this pair, among others.
    public static func form(_ name: String, _ value: String) -> RequestMatch {
        RequestMatch(redacting: "form field \(name)=\(value)") { request in
            request.formItems.contains { $0.name == name && ($0.value ?? "") == value }
        }
    }
}

extension JSON {
    /// Whether everything in `subset` is here: members of objects among others, arrays element by element.
    package func contains(_ subset: JSON) -> Bool {
        switch (self, subset) {
        case (.object(let members), .object(let wanted)):
            wanted.allSatisfy { key, value in members[key].map { $0.contains(value) } ?? false }
        case (.array(let elements), .array(let wanted)):
            elements.count == wanted.count && zip(elements, wanted).allSatisfy { $0.contains($1) }
        default: self == subset
        }
    }

    /// The value as JSON text with sorted keys.
    fileprivate var shown: String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return (try? encoder.encode(self)).map { String(decoding: $0, as: UTF8.self) } ?? "…"
    }
}
