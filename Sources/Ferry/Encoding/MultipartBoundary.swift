import Foundation

/// The line between the parts of a multipart body (RFC 2046 §5.1.1).
enum MultipartBoundary {
    /// Most characters of a boundary.
    static let limit = 70

    /// The boundary to use: the given one, else a random one that occurs in no part in memory.
    ///
    /// What files and streams hold is not searched: 128 random bits do not occur by chance.
    ///
    /// - Throws: `NetworkError`: `invalidHeader` where the given one is malformed, `invalidBody` where it occurs in a part.
    static func choose(
        _ given: String?, for parts: [MultipartForm.Part], using generator: inout some RandomNumberGenerator
    ) throws(NetworkError) -> String {
        if let given {
            guard isValid(given) else {
                throw NetworkError(
                    .invalidHeader,
                    "The boundary is not 1 to \(limit) of the characters that RFC 2046 allows, or ends with a space")
            }
            guard !occurs(given, in: parts) else {
                throw NetworkError(.invalidBody, "The boundary of the multipart form occurs in one of its parts")
            }
            return given
        }
        while true {
            let candidate = "ferry-" + hex(generator.next()) + hex(generator.next())
            if !occurs(candidate, in: parts) { return candidate }
        }
    }

    /// Whether the text is a boundary: `0*69<bchars> bcharsnospace`.
    static func isValid(_ text: String) -> Bool {
        guard (1...limit).contains(text.utf8.count), text.utf8.last != UInt8(ascii: " ") else { return false }
        return text.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "a")...UInt8(ascii: "z"):
                true
            default:
                "'()+_,-./:=? ".utf8.contains(byte)
            }
        }
    }

    private static func hex(_ number: UInt64) -> String {
        let digits = String(number, radix: 16)
        return String(repeating: "0", count: 16 - digits.utf8.count) + digits
    }

    /// Whether "--" and the boundary occur in a part in memory, at whatever place: some parsers take a bare line feed
    /// for a line end, so the place before it is not looked at.
    private static func occurs(_ boundary: String, in parts: [MultipartForm.Part]) -> Bool {
        let delimiter = Array("--\(boundary)".utf8)
        return parts.contains {
            if case .data(let data) = $0.content { contains(data, delimiter) } else { false }
        }
    }

    /// Horspool's search: a boundary is long, so most bytes are skipped.
    private static func contains(_ data: Data, _ needle: [UInt8]) -> Bool {
        var skips = [Int](repeating: needle.count, count: 256)
        for (index, byte) in needle.dropLast().enumerated() { skips[Int(byte)] = needle.count - 1 - index }
        return data.withUnsafeBytes { data in
            var end = needle.count
            while end <= data.count {
                if data[(end - needle.count)..<end].elementsEqual(needle) { return true }
                end += skips[Int(data[end - 1])]
            }
            return false
        }
    }
}
