// Stands in for Apple's `Security` where there is none: as much of trust evaluation as ServerTrust.swift uses, without
// effect. In Apple's module these types are of Core Foundation, whose arrays and data bridge to Swift's by `as`.
// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

public import Foundation

/// Stands in for the trust object of a connection: its certificates, policies, and what evaluation made of them.
public final class SecTrust: Sendable {}

/// Stands in for one certificate.
public final class SecCertificate: Sendable {}

/// Stands in for the evaluation of chain, host name and dates by the policies that URLSession has set: whether it succeeded,
/// and an error that says why not, a CFError in Apple's module.
public func SecTrustEvaluateWithError(_ trust: SecTrust, _ error: UnsafeMutablePointer<(any Error)?>?) -> Bool { false }

/// Stands in for the chain that the evaluation has built, the server's own certificate first; a CFArray in Apple's module.
public func SecTrustCopyCertificateChain(_ trust: SecTrust) -> [Any]? { nil }

/// Stands in for the DER of a certificate; CFData in Apple's module.
public func SecCertificateCopyData(_ certificate: SecCertificate) -> Data { Data() }
