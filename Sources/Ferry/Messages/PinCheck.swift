package import Foundation

/// A server whose key is none of its pins, under pins that only report.
public struct PinMismatch: Hashable, Sendable {
    /// The pinned host.
    public let host: String
    /// The pins of the keys that the server showed, its own first. Empty where they cannot be seen: over plain http, or with
    /// a transport that cannot look.
    public let found: [String]

    package init(host: String, found: [String]) {
        self.host = host
        self.found = found
    }
}

extension PinMismatch: CustomStringConvertible {
    /// The host and what it showed. Pins are no secrets.
    public var description: String {
        found.isEmpty ? "\(host): its keys cannot be seen" : "\(host) showed \(found.joined(separator: ", "))"
    }
}

/// What the pins of one host say of a server: a pure value, the same for every transport.
package struct PinCheck: Hashable, Sendable {
    /// The pinned host.
    package let host: String
    /// Base64 of the accepted digests.
    package let digests: [String]
    /// What becomes of a key that is not pinned.
    package let mode: CertificatePins.Mode

    /// What a transport does with a server.
    package enum Judgement: Sendable {
        /// Goes on; the system's own checks still count.
        case proceed
        /// The same, and tells the mismatch.
        case report(PinMismatch)
        /// Sends nothing.
        case refuse(NetworkError)
    }

    /// Judges a chain that the system has validated (RFC 7469 §2.6): one pinned key in it suffices.
    ///
    /// - Parameter chain: The certificates in DER, the server's own first; nil where the system does not trust it.
    package func judge(chain: [Data]?) -> Judgement {
        guard let chain else {
            // The system refuses by itself. A pinned host is not left to exceptions that an app may have made.
            guard mode == .enforce else { return .proceed }
            return .refuse(NetworkError(.tls, "The certificate of \(host) is not trusted"))
        }
        // A certificate that cannot be read matches nothing.
        return judge(pins: chain.compactMap { try? CertificatePins.pin(ofCertificate: $0) })
    }

    /// Judges the pins of a server's keys.
    package func judge(pins found: [String]) -> Judgement {
        if match(found) != nil { return .proceed }
        let mismatch = PinMismatch(host: host, found: found)
        guard mode == .enforce else { return .report(mismatch) }
        return .refuse(NetworkError(.tls, "The server's key is not pinned: \(mismatch)"))
    }

    /// Plain http has no key to check.
    package var plainRefused: NetworkError {
        NetworkError(.unsupported, "\(host) is pinned, and plain http has no key: nothing was sent")
    }

    /// The place of the first key that is pinned, the server's own being 0; nil where none is.
    package func match(_ found: [String]) -> Int? {
        found.firstIndex { pin in digests.contains { pin == "sha256/" + $0 } }
    }
}

extension CertificatePins {
    /// What is to be checked of a host; nil where it is not pinned.
    package func check(for host: String) -> PinCheck? {
        digests(for: host).map { PinCheck(host: Self.normalized(host), digests: $0, mode: mode) }
    }
}
