/// The pins of a client, as an option of each of its calls.
package enum PinsKey: CallOptionKey {
    package typealias Value = CertificatePins
}

extension CallContext {
    /// The keys that are accepted of servers. A transport that has `enforcesPins` must refuse any other.
    public var pins: CertificatePins { options[PinsKey.self] ?? CertificatePins() }
}
