public import Foundation

/// The JSON coders that a client uses unless it is given others.
public enum JSONCoding {
    /// An encoder: dates as RFC 3339 in UTC, with milliseconds where there are some (`2023-11-14T22:13:20.25Z` becomes
    /// `2023-11-14T22:13:20.250Z`); slashes unescaped; the rest as Foundation does it.
    public static func makeEncoder() -> JSONEncoder {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .withoutEscapingSlashes
        encoder.dateEncodingStrategy = .custom { date, encoder in
            var container = encoder.singleValueContainer()
            guard let text = RFC3339.format(date, fraction: .millisecondsIfAny) else {
                throw EncodingError.invalidValue(
                    date,
                    .init(codingPath: encoder.codingPath, debugDescription: "The date is outside the years 0 to 9999"))
            }
            try container.encode(text)
        }
        return encoder
    }

    /// A decoder: dates as RFC 3339 §5.6, with or without a fraction of any length, in UTC or with an offset; the rest as
    /// Foundation does it.
    public static func makeDecoder() -> JSONDecoder {
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .custom { decoder in
            let container = try decoder.singleValueContainer()
            guard let date = RFC3339.parse(try container.decode(String.self)) else {
                throw DecodingError.dataCorruptedError(in: container, debugDescription: "Not a date by RFC 3339")
            }
            return date
        }
        return decoder
    }
}
