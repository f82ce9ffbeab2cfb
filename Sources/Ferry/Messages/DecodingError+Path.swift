extension DecodingError {
    /// What failed, in words that show no value: the debug description may quote the content.
    package var words: String {
        switch self {
        case .typeMismatch(let type, _): "it is not \(type)"
        case .valueNotFound(let type, _): "it is null and not \(type)"
        case .keyNotFound(let key, _): "key '\(key.stringValue)' is missing"
        case .dataCorrupted(let context):
            context.codingPath.isEmpty ? "it is not valid JSON, or has a number out of range" : "its value is not valid"
        @unknown default: "it cannot be decoded"
        }
    }

    /// Where it failed, such as `items[3].name`; empty for the root.
    package var path: String {
        switch self {
        case .typeMismatch(_, let context), .valueNotFound(_, let context), .keyNotFound(_, let context),
            .dataCorrupted(let context):
            Self.text(of: context.codingPath)
        @unknown default: ""
        }
    }

    /// A coding path as text: `items[3].name`; a dot or backslash in a key is escaped by a backslash.
    package static func text(of path: [any CodingKey]) -> String {
        var text = ""
        for key in path {
            // A dictionary's key "3" has an integer value too: only an index has this text.
            if let index = key.intValue, key.stringValue == "Index \(index)" {
                text += "[\(index)]"
                continue
            }
            if !text.isEmpty { text += "." }
            for scalar in key.stringValue.unicodeScalars {
                if scalar == "." || scalar == "\\" { text.unicodeScalars.append("\\") }
                text.unicodeScalars.append(scalar)
            }
        }
        return text
    }
}
