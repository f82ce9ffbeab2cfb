import Foundation

/// The authority of a URL (RFC 3986 §3.2): `[userinfo "@"] host [":" port]`.
struct Authority {
    let userinfo: String?
    /// In lower case and ASCII; an IPv6 address in its one form (RFC 5952), with its brackets.
    let host: String
    let port: Int?

    var text: String { (userinfo.map { $0 + "@" } ?? "") + host + (port.map { ":\($0)" } ?? "") }

    /// Reads an authority. An empty port is dropped (RFC 3986 §6.2.3).
    ///
    /// - Throws: `NetworkError` of kind `invalidURL`: no host, a host with characters of no host name (escapes too, as
    ///   they would let two readers see two hosts), a port outside 1 to 65535, malformed userinfo.
    init(_ text: String) throws(NetworkError) {
        let bytes = Array(text.utf8)
        var rest = bytes[...]
        if let at = bytes.lastIndex(of: UInt8(ascii: "@")) {
            let info = bytes[..<at]
            guard info.allSatisfy({ ByteSet.userinfo.contains($0) || $0 == UInt8(ascii: "%") }),
                PercentEncoding.repair(info, allowed: .userinfo) == Array(info)
            else { throw NetworkError(.invalidURL, "The URL's userinfo is malformed") }
            userinfo = String(decoding: info, as: UTF8.self)
            rest = bytes[(at + 1)...]
        } else {
            userinfo = nil
        }
        let hostEnd: Int
        if rest.first == UInt8(ascii: "[") {
            guard let bracket = rest.firstIndex(of: UInt8(ascii: "]")) else {
                throw NetworkError(.invalidURL, "The URL's host has a bracket without its partner")
            }
            hostEnd = bracket + 1
        } else {
            hostEnd = rest.firstIndex(of: UInt8(ascii: ":")) ?? rest.endIndex
        }
        host = try Self.host(rest[..<hostEnd])
        port = try Self.port(rest[hostEnd...])
    }

    private static func port(_ bytes: ArraySlice<UInt8>) throws(NetworkError) -> Int? {
        guard !bytes.isEmpty else { return nil }
        let digits = bytes.dropFirst()
        guard bytes.first == UInt8(ascii: ":"), digits.allSatisfy({ (0x30...0x39).contains($0) }) else {
            throw NetworkError(.invalidURL, "The URL's port is not a number")
        }
        guard !digits.isEmpty else { return nil }
        guard let port = Int(String(decoding: digits, as: UTF8.self)), (1...65535).contains(port) else {
            throw NetworkError(.invalidURL, "The URL's port is not between 1 and 65535")
        }
        return port
    }

    private static func host(_ bytes: ArraySlice<UInt8>) throws(NetworkError) -> String {
        guard !bytes.isEmpty else { throw NetworkError(.invalidURL, "The URL has no host") }
        let text = String(decoding: bytes, as: UTF8.self)
        if bytes.first == UInt8(ascii: "[") {
            let inner = bytes.dropFirst().dropLast()
            // A zone is of this machine alone, and has no place in a URL (RFC 9844, WHATWG URL §3.5).
            guard inner.allSatisfy(addressBytes.contains),
                let address = address(String(decoding: inner, as: UTF8.self))
            else { throw NetworkError(.invalidURL, "The URL's host is not an IPv6 address, or has a zone") }
            return "[\(address)]"
        }
        var name = text
        if bytes.contains(where: { $0 >= 0x80 }) {
            // Checked before, so that what Foundation is given has no structure of its own.
            guard bytes.allSatisfy({ $0 >= 0x80 || ByteSet.unreserved.contains($0) }),
                let url = URL(string: "https://\(text)/"), url.absoluteString.hasSuffix("/")
            else { throw NetworkError(.invalidURL, "The URL's host is not a host name") }
            name = String(url.absoluteString.dropFirst("https://".count).dropLast())
        }
        guard !name.isEmpty, name.utf8.allSatisfy(ByteSet.unreserved.contains) else {
            throw NetworkError(.invalidURL, "The URL's host is not a host name")
        }
        return name.lowercased()
    }

    /// An IPv6 address in its one form (RFC 5952), or nil.
    static func address(_ text: String) -> String? {
        var bytes = in6_addr()
        guard inet_pton(AF_INET6, text, &bytes) == 1 else { return nil }
        var room = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
        guard inet_ntop(AF_INET6, &bytes, &room, socklen_t(room.count)) != nil else { return nil }
        return String(decoding: room.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    private static let addressBytes = ByteSet("0123456789abcdefABCDEF:.")
}
