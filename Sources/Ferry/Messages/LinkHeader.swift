/// The links of a Link field (RFC 8288 §3).
///
///     Link: <https://a/p2>; rel="next"; title="a, b", </p9>; rel=last
///           target          parameters             next link
///
/// Parsed by the algorithm of RFC 8288 appendix B.2 and B.3 on bytes: delimiters inside `<…>` and quoted strings count for
/// nothing. A malformed link is skipped up to the next comma outside of them; the others are kept.
public struct LinkHeader: Hashable, Sendable {
    /// One link.
    public struct Link: Hashable, Sendable {
        /// The target as written, absolute or relative.
        public let target: String
        /// The relation types of its first `rel` parameter, in lower case (§3.3: compared without case).
        public let relations: [String]
        /// The context that an `anchor` parameter gives instead of the resource itself (§3.2), as written.
        public let anchor: String?
        /// Every parameter, in order, names in lower case; the value is nil where there is none.
        public let parameters: [Parameter]

        /// The value of the first parameter of that name, in any case.
        public func parameter(_ name: String) -> String? {
            parameters.first { FieldSyntax.equalIgnoringCase($0.name, name) }?.value
        }
    }

    /// One parameter of a link.
    public struct Parameter: Hashable, Sendable {
        /// The name in lower case.
        public let name: String
        /// The value without quotes; nil for a name alone.
        public let value: String?
    }

    /// The links, in order.
    public let links: [Link]

    /// Parses a field value; several lines may be joined by commas.
    public init(_ value: String) {
        var scanner = FieldScanner(value)
        var links: [Link] = []
        while true {
            while let byte = scanner.peek, FieldSyntax.isWhitespace(byte) || byte == UInt8(ascii: ",") {
                scanner.takeByte()
            }
            guard !scanner.isAtEnd else { break }
            if let link = Self.link(&scanner) { links.append(link) }
            Self.skipToComma(&scanner)
        }
        self.links = links
    }

    /// Parses the Link lines of a head.
    public init(_ headers: HTTPHeaders) {
        // Each line by itself (B.1), so that a quote left open in one does not take the others.
        links = headers.values(of: "Link").flatMap { LinkHeader($0).links }
    }

    /// The links with a relation type, in order.
    ///
    /// - Parameter relation: The type, such as `next`, in any case.
    public func links(relation: String) -> [Link] {
        links.filter { $0.relations.contains { FieldSyntax.equalIgnoringCase($0, relation) } }
    }

    private static func link(_ scanner: inout FieldScanner) -> Link? {
        guard scanner.take("<") else { return nil }
        let target = scanner.take { $0 != UInt8(ascii: ">") } ?? ""
        guard scanner.take(">") else { return nil }
        let parameters = parameters(&scanner)
        let relation = parameters.first { $0.name == "rel" }?.value
        return Link(
            target: FieldSyntax.trimmed(target),
            relations: relation?.split(whereSeparator: { $0 == " " || $0 == "\t" }).map { $0.lowercased() } ?? [],
            anchor: parameters.first { $0.name == "anchor" }.flatMap(\.value), parameters: parameters)
    }

    private static func parameters(_ scanner: inout FieldScanner) -> [Parameter] {
        var parameters: [Parameter] = []
        while true {
            scanner.skipWhitespace()
            guard scanner.take(";") else { return parameters }
            scanner.skipWhitespace()
            let stops = Set("=;, \t".utf8)
            let name = scanner.take { !stops.contains($0) } ?? ""
            scanner.skipWhitespace()
            var value: String?
            if scanner.take("=") {
                scanner.skipWhitespace()
                if scanner.peek == UInt8(ascii: "\"") {
                    // One that does not end takes the rest, as B.4 says.
                    value = scanner.openQuotedString()
                } else {
                    value =
                        scanner.take { $0 != UInt8(ascii: ";") && $0 != UInt8(ascii: ",") }
                        .map { FieldSyntax.trimmed($0) } ?? ""
                }
            }
            if !name.isEmpty { parameters.append(Parameter(name: name.lowercased(), value: value)) }
        }
    }

    /// Takes what is left of a link; a comma inside `<…>` or quotes is no end.
    private static func skipToComma(_ scanner: inout FieldScanner) {
        while let byte = scanner.peek, byte != UInt8(ascii: ",") {
            switch byte {
            case UInt8(ascii: "\""): _ = scanner.openQuotedString()
            case UInt8(ascii: "<"): _ = scanner.take { $0 != UInt8(ascii: ">") }
            default: scanner.takeByte()
            }
        }
    }
}

extension LinkHeader: CustomStringConvertible, CustomReflectable {
    /// The relations alone: targets may hold secrets.
    public var description: String { "links [\(links.map(\.description).joined(separator: ", "))]" }

    /// What the description shows.
    public var customMirror: Mirror { Mirror(self, children: ["links": description]) }
}

extension LinkHeader.Link: CustomStringConvertible, CustomReflectable {
    /// The relations alone: the target may hold secrets.
    public var description: String { "link \(relations.joined(separator: " "))" }

    /// What the description shows.
    public var customMirror: Mirror { Mirror(self, children: ["link": description]) }
}

extension LinkHeader.Parameter: CustomStringConvertible, CustomReflectable {
    /// The name alone.
    public var description: String { name }

    /// What the description shows.
    public var customMirror: Mirror { Mirror(self, children: ["parameter": description]) }
}
