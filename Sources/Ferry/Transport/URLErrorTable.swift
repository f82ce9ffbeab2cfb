import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// What a failure of URLSession means.
///
/// On Linux half of libcurl's errors arrive as code -1 with nothing but libcurl's words, so those are read; each row is
/// held by a test on a real socket or on the text that libcurl is known to give.
enum URLErrorTable {
    /// The error to throw for an error of URLSession.
    ///
    /// - Parameters:
    ///   - error: What the session gave.
    ///   - hasHead: Whether the response's head had come: then a broken transfer is a lost connection.
    static func error(for error: any Error, hasHead: Bool) -> NetworkError {
        let text = words(of: error)
        let kind = kinds[(error as NSError).code] ?? kind(ofWords: text) ?? (hasHead ? .connectionLost : nil)
        let message = messages[kind] ?? "The transfer failed"
        return NetworkError(kind ?? .network, text.isEmpty ? message : "\(message) (\(text))", underlying: error)
            .with { if $0.kind == .timeout { $0.timeout = .idle } }
    }

    /// By URLError code.
    private static let kinds: [Int: NetworkError.Kind] = [
        URLError.Code.cancelled.rawValue: .cancelled,
        URLError.Code.timedOut.rawValue: .timeout,
        URLError.Code.cannotConnectToHost.rawValue: .cannotConnect,
        URLError.Code.cannotFindHost.rawValue: .cannotFindHost,
        URLError.Code.dnsLookupFailed.rawValue: .cannotFindHost,
        URLError.Code.networkConnectionLost.rawValue: .connectionLost,
        // Linux: the server closed without a byte, or after 1xx alone.
        URLError.Code.badServerResponse.rawValue: .connectionLost,
        URLError.Code.notConnectedToInternet.rawValue: .offline,
        URLError.Code.dataNotAllowed.rawValue: .offline,
        URLError.Code.internationalRoamingOff.rawValue: .offline,
        URLError.Code.callIsActive.rawValue: .offline,
        URLError.Code.badURL.rawValue: .invalidURL,
        // Linux: what came is not HTTP/1.x.
        URLError.Code.unsupportedURL.rawValue: .malformedResponse,
        URLError.Code.cannotParseResponse.rawValue: .malformedResponse,
        URLError.Code.cannotDecodeRawData.rawValue: .malformedResponse,
        URLError.Code.cannotDecodeContentData.rawValue: .malformedResponse,
        URLError.Code.zeroByteResource.rawValue: .connectionLost,
        URLError.Code.secureConnectionFailed.rawValue: .tls,
        URLError.Code.serverCertificateHasBadDate.rawValue: .tls,
        URLError.Code.serverCertificateUntrusted.rawValue: .tls,
        URLError.Code.serverCertificateHasUnknownRoot.rawValue: .tls,
        URLError.Code.serverCertificateNotYetValid.rawValue: .tls,
        URLError.Code.clientCertificateRejected.rawValue: .tls,
        URLError.Code.clientCertificateRequired.rawValue: .tls,
        URLError.Code.appTransportSecurityRequiresSecureConnection.rawValue: .tls,
        URLError.Code.dataLengthExceedsMaximum.rawValue: .bodyTooLarge,
        URLError.Code.fileDoesNotExist.rawValue: .invalidBody,
        URLError.Code.fileIsDirectory.rawValue: .invalidBody,
        URLError.Code.noPermissionsToReadFile.rawValue: .invalidBody,
    ]

    /// By libcurl's words, in lower case; the first row that fits counts.
    private static let words: [(text: String, kind: NetworkError.Kind)] = [
        ("certificate", .tls), ("ssl", .tls), ("tls", .tls), ("handshake", .tls),
        ("transfer closed with", .connectionLost),
        ("bytes remaining to read", .connectionLost),
        ("transferred a partial file", .connectionLost),
        ("connection reset", .connectionLost),
        ("recv failure", .connectionLost), ("failure when receiving", .connectionLost),
        ("send failure", .connectionLost), ("failed sending data", .connectionLost),
        ("broken pipe", .connectionLost),
        ("empty reply", .connectionLost),
        ("illegal or missing hexadecimal", .malformedResponse),
        ("chunk", .malformedResponse), ("malformed encoding", .malformedResponse),
        ("content encoding", .malformedResponse), ("content-encoding", .malformedResponse),
        ("decompress", .malformedResponse), ("inflate", .malformedResponse), ("unencoding", .malformedResponse),
        ("weird server reply", .malformedResponse), ("unsupported http", .malformedResponse),
        ("invalid content-length", .malformedResponse), ("invalid status line", .malformedResponse),
        ("nul byte in header", .malformedResponse), ("header without colon", .malformedResponse),
        ("out of memory", .headTooLarge), ("too large", .headTooLarge),
        ("http/2", .connectionLost), ("stream 0", .connectionLost),
        ("network is unreachable", .offline), ("no route to host", .cannotConnect),
        ("couldn't connect", .cannotConnect), ("could not connect", .cannotConnect),
        ("failed to connect", .cannotConnect), ("connection refused", .cannotConnect),
        ("resolve", .cannotFindHost),
        ("timed out", .timeout), ("timeout", .timeout),
    ]

    private static func kind(ofWords text: String) -> NetworkError.Kind? {
        let lowered = text.lowercased()
        return words.first { lowered.contains($0.text) }?.kind
    }

    /// libcurl's words, from the error or the one under it.
    private static func words(of error: any Error) -> String {
        let error = error as NSError
        let underlying = error.userInfo[NSUnderlyingErrorKey] as? NSError
        for candidate in [underlying, error] {
            if let text = candidate?.userInfo[NSLocalizedDescriptionKey] as? String, !text.isEmpty { return text }
        }
        return ""
    }

    private static let messages: [NetworkError.Kind?: String] = [
        .cancelled: "The call was cancelled",
        .timeout: "The connection timed out",
        .cannotConnect: "The connection could not be made",
        .cannotFindHost: "The host's name could not be resolved",
        .connectionLost: "The connection ended before the response was complete",
        .offline: "There is no network",
        .invalidURL: "The transport cannot use this URL",
        .malformedResponse: "What the server sent is not a proper HTTP response",
        .tls: "The secure connection could not be made",
        .bodyTooLarge: "The body is too large",
        .headTooLarge: "The head of the request or of the response is too large for the transport",
        .invalidBody: "The body's file cannot be read",
    ]
}
