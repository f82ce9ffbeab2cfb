import FerryTesting

/// Slow and simple parsers to compare with: whole input, byte by byte, written from the texts of the standards.
enum Reference {
    /// Ended lines, then the rest where it is not empty.
    static func lines(_ bytes: [UInt8]) -> [[UInt8]] {
        let (ended, rest) = cut(bytes)
        return rest.isEmpty ? ended : ended + [rest]
    }

    struct Event: Equatable {
        var event: String
        var data: String
        var id: String
        var retry: Int?
    }

    /// WHATWG HTML §9.2.6, on text.
    static func events(_ bytes: [UInt8]) -> (events: [Event], lastEventID: String, reconnectionTime: Int?) {
        var events: [Event] = []
        var (data, type, idBuffer, lastID) = ("", "", "", "")
        var time: Int?
        var blockTime: Int?
        for line in cut(bytes).ended {
            let text = String(decoding: line, as: UTF8.self)
            let scalars = Array(text.unicodeScalars)
            if scalars.isEmpty {
                lastID = idBuffer
                if !data.isEmpty {
                    var scalars = data.unicodeScalars
                    scalars.removeLast()
                    let name = type.isEmpty ? "message" : type
                    events.append(Event(event: name, data: String(scalars), id: lastID, retry: blockTime))
                }
                (data, type, blockTime) = ("", "", nil)
                continue
            }
            var field = scalars
            var value: [Unicode.Scalar] = []
            if let colon = scalars.firstIndex(of: ":") {
                if colon == 0 { continue }
                field = Array(scalars[..<colon])
                value = Array(scalars[(colon + 1)...])
                if value.first == " " { value.removeFirst() }
            }
            let content = string(value)
            switch string(field) {
            case "event": type = content
            case "data": data += content + "\n"
            case "id" where !value.contains("\0"): idBuffer = content
            case "retry" where !value.isEmpty && value.allSatisfy({ ("0"..."9").contains($0) }):
                // Clamped as documented.
                time = Int(content).map { min($0, 1_000_000_000_000) } ?? 1_000_000_000_000
                blockTime = time
            default: break
            }
        }
        return (events, lastID, time)
    }

    /// Records of newline-delimited JSON with the number of their line.
    static func records(_ bytes: [UInt8]) -> [(line: Int, bytes: [UInt8])] {
        var body = bytes
        if body.starts(with: [0xEF, 0xBB, 0xBF]) { body.removeFirst(3) }
        var (records, line, current): ([(Int, [UInt8])], Int, [UInt8]) = ([], 1, [])
        for byte in body + [0x0A] {
            guard byte == 0x0A else {
                current.append(byte)
                continue
            }
            if current.contains(where: { $0 != 0x20 && $0 != 0x09 && $0 != 0x0D }) { records.append((line, current)) }
            line += 1
            current = []
        }
        return records
    }

    private static func string(_ scalars: [Unicode.Scalar]) -> String {
        var text = String.UnicodeScalarView()
        text.append(contentsOf: scalars)
        return String(text)
    }

    private static func cut(_ bytes: [UInt8]) -> (ended: [[UInt8]], rest: [UInt8]) {
        var ended: [[UInt8]] = []
        var line: [UInt8] = []
        var index = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
        while index < bytes.count {
            switch bytes[index] {
            case 0x0D:
                if index + 1 < bytes.count, bytes[index + 1] == 0x0A { index += 1 }
                ended.append(line)
                line = []
            case 0x0A:
                ended.append(line)
                line = []
            default: line.append(bytes[index])
            }
            index += 1
        }
        return (ended, line)
    }
}

/// Random input, mostly of what matters to the parsers.
enum Fuzz {
    private static let words: [[UInt8]] =
        ["\n", "\r", "\r\n", "\n\n", "\r\r", ":", " ", "data", "data: ", "event:", "id:", "id", "retry: ", "retry:1"]
        .map { Array($0.utf8) }
        + [
            [0], [0xEF], [0xBB], [0xBF], [0xEF, 0xBB, 0xBF], [0xC3], [0xA9], [0xE2, 0x80, 0xA8], [0xF0, 0x9F], [0xFF],
        ]
        + ["0", "9", "a", "\t", "\u{85}", "{", "}", "\"", "9999999999"].map { Array($0.utf8) }

    static func bytes(using generator: inout SeededGenerator) -> [UInt8] {
        let count = Int(generator.next() % 14)
        var bytes: [UInt8] = []
        for _ in 0..<count { bytes += words[Int(generator.next() % UInt64(words.count))] }
        return bytes
    }

    static func cut(_ bytes: [UInt8], using generator: inout SeededGenerator) -> [[UInt8]] {
        var pieces: [[UInt8]] = []
        var start = 0
        while start < bytes.count {
            let end = min(start + Int(generator.next() % 6), bytes.count)
            pieces.append(Array(bytes[start..<end]))
            start = end
        }
        return pieces
    }
}
