import Foundation

/// The public keys that are accepted of servers, per host (RFC 7469 §2.4): a certificate of another key is refused, also
/// where an authority vouches for it.
///
/// ```swift
/// let client = NetworkClient(baseURL: url) {
///     $0.transport = .curl()
///     $0.pins = ["api.example.com": ["sha256/d7+j4X1R…=", "sha256/tHMl1+cE…="]]     // the key and a backup
/// }
/// ```
///
/// A pin is the SHA-256 of the key's DER SubjectPublicKeyInfo in base64, with or without `sha256/` before it. One that
/// matches suffices, so a backup pin lets a server change its key. ``pins(ofCertificatesAt:)`` makes pins from files.
///
/// A host is a name (`api.example.com`), an address, or a wildcard for exactly one label (`*.example.com`). Case, scheme,
/// port, path and a dot at the end do not count, and a name in another script is its ASCII form (`müller.example`).
///
/// Pins that make no sense (none for a host, a malformed one) fail each call with `invalidRequest` before a byte is sent;
/// ``validate()`` tells it earlier. A transport that cannot pin refuses a pinned host with `unsupported`.
///
/// Pins come besides the system's own checks of chain, name and dates, never in their place. Where pins are new, try them
/// with ``mode`` `report` first.
public struct CertificatePins: Hashable, Sendable {
    /// What becomes of a server whose key is not pinned.
    public enum Mode: Hashable, Sendable {
        /// It is refused, before a byte of the request is sent.
        case enforce
        /// It is used all the same, and told as `CallEvent.pinMismatch`: to see what pins would do before they do it.
        case report
    }

    /// What becomes of a server whose key is not pinned. Default: it is refused.
    public var mode = Mode.enforce

    /// Pins as given, by host as given.
    private var entries: [Entry] = []

    private struct Entry: Hashable {
        var pattern: String
        var pins: [String]
    }

    /// No pins: what the system trusts is trusted.
    public init() {}

    /// Whether no host is pinned.
    public var isEmpty: Bool { entries.isEmpty }

    /// The pins of a host as given, or nil where there is no entry of that very host.
    ///
    /// Setting replaces the entry; nil removes it. An empty list is an error, not a way to switch pinning off.
    public subscript(host: String) -> [String]? {
        get { entries.first { $0.pattern == Self.normalized(host) }?.pins }
        set {
            let pattern = Self.normalized(host)
            entries.removeAll { $0.pattern == pattern }
            if let newValue { entries.append(Entry(pattern: pattern, pins: newValue)) }
        }
    }

    /// Checks every host and pin.
    ///
    /// - Throws: `NetworkError` of kind `invalidRequest`, naming the host.
    public func validate() throws(NetworkError) {
        for entry in entries {
            guard Self.isHost(entry.pattern) else {
                throw NetworkError(.invalidRequest, "\(entry.pattern.debugDescription) is no host that can be pinned")
            }
            guard !entry.pins.isEmpty else {
                throw NetworkError(.invalidRequest, "The pins of \(entry.pattern) are empty: that would accept no key")
            }
            for pin in entry.pins where Self.digest(pin) == nil {
                throw NetworkError(
                    .invalidRequest,
                    "A pin of \(entry.pattern) is not the base64 of a SHA-256: \(pin.debugDescription)")
            }
        }
    }

    /// The base64 digests that are accepted of a host; nil where it is not pinned.
    ///
    /// An entry of the very host counts before a wildcard.
    package func digests(for host: String) -> [String]? {
        guard !entries.isEmpty else { return nil }
        let host = Self.normalized(host)
        let dot = Origin.isAddress(host) ? nil : host.utf8.firstIndex(of: UInt8(ascii: "."))
        let wildcard = dot.flatMap { $0 > host.startIndex ? "*" + host[$0...] : nil }
        let entry = entries.first { $0.pattern == host } ?? entries.first { $0.pattern == wildcard }
        return entry.map { $0.pins.compactMap(Self.digest) }
    }

    /// The base64 of a pin; nil unless it stands for 32 bytes.
    private static func digest(_ pin: String) -> String? {
        // Told by its length: the base64 may begin with a slash of its own.
        guard let start = pin.utf8.index(pin.endIndex, offsetBy: -44, limitedBy: pin.startIndex),
            ["", "sha256/", "sha256//"].contains(pin[..<start]),
            let data = Data(base64Encoded: String(pin[start...])), data.count == 32
        else { return nil }
        // Written anew: two spellings of one digest would not match.
        return data.base64EncodedString()
    }
}

extension CertificatePins: ExpressibleByDictionaryLiteral {
    /// Creates pins from hosts and their pins; a later entry of a host replaces an earlier one.
    public init(dictionaryLiteral elements: (String, [String])...) {
        for (host, pins) in elements { self[host] = pins }
    }
}

extension CertificatePins: CustomStringConvertible {
    /// The hosts.
    public var description: String {
        "\(mode == .report ? "reporting " : "")pins of [" + entries.map(\.pattern).joined(separator: ", ") + "]"
    }
}
