/// Writes and reads the query of a URL (RFC 3986 §3.4).
///
/// Everything but unreserved characters is escaped, so that no value can be taken for structure, and "+" arrives as "+"
/// also at servers that read queries as forms. A space is `%20`.
public enum QuerySerializer {
    /// The query without its "?"; empty where there is no pair.
    public static func string(from pairs: [ParameterPair]) -> String {
        var text = ""
        for (index, pair) in pairs.enumerated() {
            if index > 0 { text += "&" }
            text += PercentEncoding.encode(pair.name, allowed: .unreserved)
            guard let value = pair.value else { continue }
            text += "="
            text += PercentEncoding.encode(value, allowed: .unreserved)
        }
        return text
    }

    /// The pairs of a query without its "?"; "+" is a plus sign. A pair without "=" has no value.
    public static func pairs(from query: String) -> [ParameterPair] {
        query.utf8.split(separator: UInt8(ascii: "&")).map { piece in
            guard let equals = piece.firstIndex(of: UInt8(ascii: "=")) else {
                return ParameterPair(name: PercentEncoding.decode(piece), value: nil)
            }
            return ParameterPair(
                name: PercentEncoding.decode(piece[..<equals]),
                value: PercentEncoding.decode(piece[piece.index(after: equals)...]))
        }
    }
}
