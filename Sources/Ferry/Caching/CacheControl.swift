/// The directives of Cache-Control fields (RFC 9111 §5.2).
///
///     Cache-Control   = #cache-directive
///     cache-directive = token [ "=" ( token / quoted-string ) ]
///
/// Names are compared without case, arguments may be quoted or not whatever the directive (§5.2), unknown directives are
/// skipped (§5.2.3), and of a repeated directive the first counts (§4.2.1). An element that does not follow the grammar
/// ends at the next comma; it still counts where it asks for caution, and never where it allows something.
package struct CacheControl: Hashable, Sendable {
    /// One directive.
    package struct Directive: Hashable, Sendable {
        /// In lower case.
        package let name: String
        /// Without quotes; nil where there is none.
        package let argument: String?
        /// Whether it follows the grammar.
        package let isWellFormed: Bool
    }

    /// A number of seconds, as it was given.
    package enum Seconds: Hashable, Sendable {
        /// A number; what is beyond 2^31 counts as that (§1.2.2).
        case value(Int)
        /// Something that is no number of seconds.
        case invalid
    }

    /// In order.
    package let directives: [Directive]

    /// Reads the lines of a field.
    package init(_ lines: some Sequence<String>) {
        var directives: [Directive] = []
        for line in lines { Self.read(line, into: &directives) }
        self.directives = directives
    }

    /// Reads the field of a message.
    package init(_ headers: HTTPHeaders) { self.init(headers.values(of: "Cache-Control")) }

    private static func read(_ line: String, into directives: inout [Directive]) {
        var scanner = FieldScanner(line)
        while !scanner.isAtEnd {
            scanner.skipWhitespace()
            if scanner.take(",") { continue }
            guard let name = scanner.token() else {
                _ = scanner.take(while: { $0 != UInt8(ascii: ",") })
                continue
            }
            var argument: String?
            var isWellFormed = true
            if scanner.take("=") {
                argument = scanner.tokenOrQuotedString()
                isWellFormed = argument != nil
            }
            scanner.skipWhitespace()
            if !scanner.isAtEnd, !scanner.take(",") {
                isWellFormed = false
                _ = scanner.take(while: { $0 != UInt8(ascii: ",") })
            }
            let lowercased = String(decoding: name.utf8.map(FieldSyntax.lowercased), as: UTF8.self)
            directives.append(
                Directive(name: lowercased, argument: isWellFormed ? argument : nil, isWellFormed: isWellFormed))
        }
    }

    /// Whether a directive is there, well-formed or not: for those that ask for caution.
    package func contains(_ name: String) -> Bool { directives.contains { $0.name == name } }

    /// Whether a directive is there and follows the grammar: for those that allow something.
    package func allows(_ name: String) -> Bool { directives.contains { $0.name == name && $0.isWellFormed } }

    /// The seconds of the first directive of a name; nil where there is none.
    package func seconds(_ name: String) -> Seconds? {
        guard let directive = directives.first(where: { $0.name == name }) else { return nil }
        return directive.argument.flatMap(DeltaSeconds.parse).map { .value($0) } ?? .invalid
    }

    /// The seconds of a directive that allows something: nil where there are none that can be read.
    package func allowance(_ name: String) -> Int? {
        if case .value(let seconds)? = seconds(name) { seconds } else { nil }
    }
}

extension CacheControl {
    /// How far `no-cache` of a response goes (§5.2.2.4).
    package enum NoCache: Hashable, Sendable {
        /// The response is not used without validation.
        case response
        /// These fields, in lower case, are not used without validation.
        case fields(Set<String>)
    }

    /// `no-cache`, or nil where it is not there. An argument that is no list of names leaves nothing allowed.
    package var noCache: NoCache? {
        var fields: Set<String> = []
        var isFound = false
        for directive in directives where directive.name == "no-cache" {
            guard let argument = directive.argument, let names = FieldNames.parse([argument]), !names.isEmpty else {
                return .response
            }
            isFound = true
            fields.formUnion(names)
        }
        return isFound ? .fields(fields) : nil
    }

    /// `max-stale` of a request (§5.2.1.2): how many seconds beyond its lifetime a response is welcome; nil where none.
    package var maxStale: Int? {
        guard let directive = directives.first(where: { $0.name == "max-stale" }), directive.isWellFormed else {
            return nil
        }
        return directive.argument.map { DeltaSeconds.parse($0) } ?? .max
    }
}

/// Non-negative seconds (RFC 9111 §1.2.2).
package enum DeltaSeconds {
    /// What is beyond it counts as this many.
    package static let limit = 1 << 31

    /// The number that `text` is, or nil where it is not digits alone.
    package static func parse(_ text: String) -> Int? {
        guard !text.isEmpty else { return nil }
        var value = 0
        for byte in text.utf8 {
            guard byte >= UInt8(ascii: "0"), byte <= UInt8(ascii: "9") else { return nil }
            value = min(value * 10 + Int(byte - UInt8(ascii: "0")), limit)
        }
        return value
    }
}

/// Lists of field names, as in Vary and Connection (RFC 9110 §5.6.1).
package enum FieldNames {
    /// The names in lower case, or nil where an element is no token.
    package static func parse(_ lines: some Sequence<String>) -> Set<String>? {
        var names: Set<String> = []
        for line in lines {
            for element in line.utf8.split(separator: UInt8(ascii: ",")) {
                let name = FieldSyntax.trimmed(Substring(element))
                if name.isEmpty { continue }
                guard FieldSyntax.isToken(name) else { return nil }
                names.insert(String(decoding: name.utf8.map(FieldSyntax.lowercased), as: UTF8.self))
            }
        }
        return names
    }
}
