/// Refuses what must not be sent: anything under pins that make no sense, and requests to a pinned host over a transport
/// that cannot pin. Under pins that only report, the latter is told and goes on.
struct PinGuard: Transport {
    private let base: any Transport

    init(_ base: any Transport) { self.base = base }

    var enforcesTimeouts: Bool { base.enforcesTimeouts }
    var enforcesPins: Bool { true }

    func send(_ request: HTTPRequest, context: CallContext) async throws(NetworkError) -> HTTPResponse {
        let pins = context.pins
        try pins.validate()
        // A host that cannot be read cannot be compared.
        guard let host = Origin(request.url)?.host else {
            throw NetworkError(.invalidURL, "The URL's host is malformed")
        }
        if !base.enforcesPins, let check = pins.check(for: host) {
            guard check.mode == .enforce else {
                context.emit(.pinMismatch(PinMismatch(host: host, found: [])))
                return try await base.send(request, context: context)
            }
            throw NetworkError(
                .unsupported,
                """
                \(host) is pinned and \(type(of: base)) cannot check pins, so nothing was sent; on Linux use \
                CurlTransport of the product FerryCurl
                """)
        }
        return try await base.send(request, context: context)
    }

    func shutdown() { base.shutdown() }
}
