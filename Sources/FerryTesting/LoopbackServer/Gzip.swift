public import Foundation

/// A gzip encoder without compression (RFC 1952 with stored blocks of RFC 1951 §3.2.4): what tests need to serve
/// content that any decoder accepts, and cut or broken forms of it.
public enum Gzip {
    /// `content` in gzip format, 23 bytes and more longer than it was.
    public static func stored(_ content: Data) -> Data {
        var output = Data([0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 0xFF])
        var rest = content[...]
        repeat {
            let block = rest.prefix(0xFFFF)
            rest = rest.dropFirst(block.count)
            let length = UInt16(block.count)
            output.append(rest.isEmpty ? 1 : 0)
            append(length, to: &output)
            append(~length, to: &output)
            output.append(block)
        } while !rest.isEmpty
        append(crc32(content), to: &output)
        append(UInt32(truncatingIfNeeded: content.count), to: &output)
        return output
    }

    /// The CRC-32 of gzip (RFC 1952 §8).
    static func crc32(_ data: Data) -> UInt32 {
        ~data.reduce(UInt32.max) { crc, byte in table[Int(UInt8(truncatingIfNeeded: crc) ^ byte)] ^ (crc >> 8) }
    }

    private static let table: [UInt32] = (0..<256).map { index in
        (0..<8).reduce(UInt32(index)) { value, _ in value & 1 == 1 ? 0xEDB8_8320 ^ (value >> 1) : value >> 1 }
    }

    private static func append(_ value: some FixedWidthInteger, to output: inout Data) {
        withUnsafeBytes(of: value.littleEndian) { output.append(contentsOf: $0) }
    }
}
