package import Foundation

/// The format of an entry's file. Numbers are little-endian, texts are UTF-8 after their length.
///
///      0  "FERRYCH1"                     format and version
///      8  u32  length of the head        16  u64  checksum of the head
///     12  u32  zero                      24  u64  checksum of the content
///     32  head, then content to the end of the file
///
/// The head: dates, length of the content, status, key, URL, variance, fields. The checksums are FNV-1a (64 bits): no change of one
/// byte goes unseen, and a cut is seen by the lengths. They guard against accidents, not against attackers: who can
/// write here can write anything.
package enum CacheEntryCoding {
    private static let magic = Array("FERRYCH1".utf8)
    package static let prefixSize = 32
    /// Longest head that is read.
    package static let maxHeadSize = 1 << 20

    /// The bytes of an entry's file.
    package static func encode(_ entry: CacheEntry) -> Data {
        var head = Writer()
        head.number(entry.head.requestDate.timeIntervalSince1970.bitPattern)
        head.number(entry.head.responseDate.timeIntervalSince1970.bitPattern)
        head.number(UInt64(entry.body.count))
        head.number(UInt32(clamping: entry.head.status.code))
        head.text(entry.head.key.digest)
        head.text(entry.head.url.absoluteString)
        head.text(entry.head.variance.credential)
        head.text(entry.head.variance.target)
        head.number(UInt32(entry.head.variance.fields.count))
        for field in entry.head.variance.fields {
            head.text(field.name)
            head.text(field.digest ?? "")
        }
        head.number(UInt32(entry.head.headers.count))
        for field in entry.head.headers {
            head.text(field.name)
            head.text(field.value)
        }
        var file = Writer()
        file.bytes += magic
        file.number(UInt32(head.bytes.count))
        file.number(UInt32(0))
        file.number(checksum(head.bytes))
        file.number(checksum(entry.body))
        file.bytes += head.bytes
        return Data(file.bytes) + entry.body
    }

    /// Where the content begins, by the first bytes of a file; nil where they are no entry's.
    package static func bodyOffset(prefix: Data) -> Int? {
        guard prefix.count >= prefixSize, prefix.starts(with: magic) else { return nil }
        var reader = Reader(Array(prefix.dropFirst(magic.count).prefix(8)))
        guard let length = reader.number(UInt32.self), reader.number(UInt32.self) == 0, length <= maxHeadSize else {
            return nil
        }
        return prefixSize + Int(length)
    }

    /// The head of an entry from the beginning of its file; nil where it is damaged.
    ///
    /// - Parameter data: The file's bytes up to the content, or more.
    package static func decodeHead(_ data: Data) -> CacheEntry.Head? {
        let data = Array(data)
        guard let offset = bodyOffset(prefix: Data(data.prefix(prefixSize))), data.count >= offset else { return nil }
        let bytes = Array(data[prefixSize..<offset])
        var sums = Reader(Array(data[16..<24]))
        guard sums.number(UInt64.self) == checksum(bytes) else { return nil }
        var reader = Reader(bytes)
        guard let requestDate = reader.date(), let responseDate = reader.date(),
            let byteCount = reader.number(UInt64.self).flatMap({ Int(exactly: $0) }),
            let status = reader.number(UInt32.self), let key = reader.text(),
            let url = reader.text().flatMap({ URL(string: $0) }),
            let credential = reader.text(), let target = reader.text(), let fieldCount = reader.number(UInt32.self)
        else { return nil }
        var fields: [CacheVariance.Field] = []
        for _ in 0..<fieldCount {
            guard let name = reader.text(), let digest = reader.text() else { return nil }
            fields.append(CacheVariance.Field(name: name, digest: digest.isEmpty ? nil : digest))
        }
        guard let headerCount = reader.number(UInt32.self) else { return nil }
        var headers = HTTPHeaders()
        for _ in 0..<headerCount {
            guard let name = reader.text(), let value = reader.text() else { return nil }
            headers.append(name, value)
        }
        guard reader.isAtEnd else { return nil }
        return CacheEntry.Head(
            url: url, key: CacheKey(digest: key),
            variance: CacheVariance(fields: fields, credential: credential, target: target),
            status: HTTPStatus(Int(status)), headers: headers, requestDate: requestDate, responseDate: responseDate,
            byteCount: byteCount)
    }

    /// The entry of a file; nil where it is damaged.
    package static func decode(_ data: Data) -> CacheEntry? {
        guard let offset = bodyOffset(prefix: data.prefix(prefixSize)), let head = decodeHead(data.prefix(offset)),
            data.count - offset == head.byteCount
        else { return nil }
        let body = Data(data.dropFirst(offset))
        var sums = Reader(Array(data.dropFirst(24).prefix(8)))
        guard sums.number(UInt64.self) == checksum(body) else { return nil }
        return CacheEntry(head: head, body: body)
    }

    private static func checksum(_ data: some ContiguousBytes) -> UInt64 {
        data.withUnsafeBytes { bytes in
            var sum: UInt64 = 0xCBF2_9CE4_8422_2325
            for byte in bytes { sum = (sum ^ UInt64(byte)) &* 0x100_0000_01B3 }
            return sum
        }
    }

    private struct Writer {
        var bytes: [UInt8] = []

        mutating func number<Number: FixedWidthInteger>(_ value: Number) {
            withUnsafeBytes(of: value.littleEndian) { bytes += $0 }
        }

        mutating func text(_ text: String) {
            number(UInt32(text.utf8.count))
            bytes += text.utf8
        }
    }

    private struct Reader {
        private var bytes: ArraySlice<UInt8>

        init(_ bytes: [UInt8]) { self.bytes = bytes[...] }

        var isAtEnd: Bool { bytes.isEmpty }

        mutating func number<Number: FixedWidthInteger>(_ type: Number.Type) -> Number? {
            let size = Number.bitWidth / 8
            guard bytes.count >= size else { return nil }
            let value = bytes.prefix(size).reversed().reduce(Number(0)) { $0 << 8 | Number(truncatingIfNeeded: $1) }
            bytes = bytes.dropFirst(size)
            return value
        }

        mutating func date() -> Date? {
            guard let seconds = number(UInt64.self).map({ Double(bitPattern: $0) }), seconds.isFinite else {
                return nil
            }
            return Date(timeIntervalSince1970: seconds)
        }

        mutating func text() -> String? {
            guard let length = number(UInt32.self), Int(length) <= bytes.count else { return nil }
            defer { bytes = bytes.dropFirst(Int(length)) }
            return String(validating: bytes.prefix(Int(length)), as: UTF8.self)
        }
    }
}
