import Foundation

/// SHA-256 (FIPS 180-4 §6.2), in pieces.
///
/// Its own, for the toolchain has none on Linux.
package struct SHA256: Sendable {
    private var state: [UInt32] = [
        0x6a09_e667, 0xbb67_ae85, 0x3c6e_f372, 0xa54f_f53a, 0x510e_527f, 0x9b05_688c, 0x1f83_d9ab, 0x5be0_cd19,
    ]
    /// Bytes that do not fill a block yet; fewer than 64.
    private var rest: [UInt8] = []
    private var length: UInt64 = 0

    package init() { rest.reserveCapacity(128) }

    /// The digest of bytes.
    package static func digest(_ bytes: some Sequence<UInt8>) -> [UInt8] {
        var hash = SHA256()
        Array(bytes).withUnsafeBytes { hash.update($0) }
        return hash.finish()
    }

    /// Adds bytes.
    package mutating func update(_ bytes: UnsafeRawBufferPointer) {
        length &+= UInt64(bytes.count)
        var bytes = bytes[...]
        if !rest.isEmpty {
            let missing = min(64 - rest.count, bytes.count)
            rest.append(contentsOf: bytes.prefix(missing))
            bytes = bytes.dropFirst(missing)
            guard rest.count == 64 else { return }
            let block = rest
            block.withUnsafeBytes { compress($0) }
            rest.removeAll(keepingCapacity: true)
        }
        let whole = bytes.count & ~63
        if whole > 0 { compress(UnsafeRawBufferPointer(rebasing: bytes.prefix(whole))) }
        rest.append(contentsOf: bytes.dropFirst(whole))
    }

    /// The digest of all bytes that were added.
    package mutating func finish() -> [UInt8] {
        let bits = length &* 8
        var end: [UInt8] = [0x80]
        end.append(contentsOf: repeatElement(0, count: (119 - rest.count) % 64))
        end.append(contentsOf: (0..<8).map { UInt8(truncatingIfNeeded: bits >> UInt64(56 - 8 * $0)) })
        end.withUnsafeBytes { update($0) }
        return state.flatMap { word in (0..<4).map { UInt8(truncatingIfNeeded: word >> UInt32(24 - 8 * $0)) } }
    }

    /// Takes whole blocks.
    private mutating func compress(_ blocks: UnsafeRawBufferPointer) {
        Self.constants.withUnsafeBufferPointer { constants in
            state.withUnsafeMutableBufferPointer { state in
                withUnsafeTemporaryAllocation(of: UInt32.self, capacity: 64) { schedule in
                    var start = 0
                    while start < blocks.count {
                        Self.compress(blocks, at: start, schedule, constants, state)
                        start += 64
                    }
                }
            }
        }
    }

    @inline(__always)
    private static func compress(
        _ bytes: UnsafeRawBufferPointer, at start: Int, _ w: UnsafeMutableBufferPointer<UInt32>,
        _ k: UnsafeBufferPointer<UInt32>, _ state: UnsafeMutableBufferPointer<UInt32>
    ) {
        for t in 0..<16 {
            w[t] = UInt32(bigEndian: bytes.loadUnaligned(fromByteOffset: start &+ 4 &* t, as: UInt32.self))
        }
        for t in 16..<64 {
            let (v15, v2) = (w[t &- 15], w[t &- 2])
            let s0 = rotated(v15, 7) ^ rotated(v15, 18) ^ (v15 &>> 3)
            let s1 = rotated(v2, 17) ^ rotated(v2, 19) ^ (v2 &>> 10)
            w[t] = w[t &- 16] &+ s0 &+ w[t &- 7] &+ s1
        }
        var (a, b, c, d) = (state[0], state[1], state[2], state[3])
        var (e, f, g, h) = (state[4], state[5], state[6], state[7])
        for t in 0..<64 {
            let s1 = rotated(e, 6) ^ rotated(e, 11) ^ rotated(e, 25)
            let t1 = h &+ s1 &+ ((e & f) ^ (~e & g)) &+ k[t] &+ w[t]
            let s0 = rotated(a, 2) ^ rotated(a, 13) ^ rotated(a, 22)
            let t2 = s0 &+ ((a & b) ^ (a & c) ^ (b & c))
            (h, g, f, e) = (g, f, e, d &+ t1)
            (d, c, b, a) = (c, b, a, t1 &+ t2)
        }
        state[0] &+= a
        state[1] &+= b
        state[2] &+= c
        state[3] &+= d
        state[4] &+= e
        state[5] &+= f
        state[6] &+= g
        state[7] &+= h
    }

    @inline(__always)
    private static func rotated(_ word: UInt32, _ count: UInt32) -> UInt32 { word &>> count | word &<< (32 &- count) }

    /// The first 32 bits of the fractional parts of the cube roots of the first 64 primes (§4.2.2).
    private static let constants: [UInt32] = [
        0x428a_2f98, 0x7137_4491, 0xb5c0_fbcf, 0xe9b5_dba5, 0x3956_c25b, 0x59f1_11f1, 0x923f_82a4, 0xab1c_5ed5,
        0xd807_aa98, 0x1283_5b01, 0x2431_85be, 0x550c_7dc3, 0x72be_5d74, 0x80de_b1fe, 0x9bdc_06a7, 0xc19b_f174,
        0xe49b_69c1, 0xefbe_4786, 0x0fc1_9dc6, 0x240c_a1cc, 0x2de9_2c6f, 0x4a74_84aa, 0x5cb0_a9dc, 0x76f9_88da,
        0x983e_5152, 0xa831_c66d, 0xb003_27c8, 0xbf59_7fc7, 0xc6e0_0bf3, 0xd5a7_9147, 0x06ca_6351, 0x1429_2967,
        0x27b7_0a85, 0x2e1b_2138, 0x4d2c_6dfc, 0x5338_0d13, 0x650a_7354, 0x766a_0abb, 0x81c2_c92e, 0x9272_2c85,
        0xa2bf_e8a1, 0xa81a_664b, 0xc24b_8b70, 0xc76c_51a3, 0xd192_e819, 0xd699_0624, 0xf40e_3585, 0x106a_a070,
        0x19a4_c116, 0x1e37_6c08, 0x2748_774c, 0x34b0_bcb5, 0x391c_0cb3, 0x4ed8_aa4a, 0x5b9c_ca4f, 0x682e_6ff3,
        0x748f_82ee, 0x78a5_636f, 0x84c8_7814, 0x8cc7_0208, 0x90be_fffa, 0xa450_6ceb, 0xbef9_a3f7, 0xc671_78f2,
    ]
}
