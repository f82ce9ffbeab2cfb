#if canImport(Security)
    import Foundation
    import Security

    /// Answers the challenges of a URLSession: the only place that touches Security.
    enum ServerTrust {
        /// Answers a challenge.
        ///
        /// Pins come on top: where they accept a server, the system's default handling goes on to check chain, name and
        /// dates as without them.
        ///
        /// - Parameters:
        ///   - challenge: What is asked.
        ///   - pins: Those of the session.
        ///   - exchange: Who is told; nil where it is over.
        ///   - answer: The session's handler.
        static func answer(
            _ challenge: URLAuthenticationChallenge, pins: CertificatePins, for exchange: URLSessionExchange?,
            _ answer: (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
        ) {
            let space = challenge.protectionSpace
            switch space.authenticationMethod {
            case NSURLAuthenticationMethodServerTrust: break
            case NSURLAuthenticationMethodClientCertificate: return answer(.performDefaultHandling, nil)
            // Of HTTP: the client answers it itself.
            default: return answer(.rejectProtectionSpace, nil)
            }
            // A proxy has a certificate of its own; the server behind it is asked for next.
            guard !space.isProxy(), let check = pins.check(for: space.host) else {
                return answer(.performDefaultHandling, nil)
            }
            switch check.judge(chain: space.serverTrust.flatMap { validatedChain($0) }) {
            case .proceed: answer(.performDefaultHandling, nil)
            case .report(let mismatch):
                exchange?.mismatched(mismatch)
                answer(.performDefaultHandling, nil)
            case .refuse(let error):
                // Before the task ends, so that this is the reason.
                exchange?.cancel(error)
                answer(.cancelAuthenticationChallenge, nil)
            }
        }

        /// The certificates from the server's own to the anchor, in DER; nil where the system does not trust them for the
        /// host that the connection is for.
        ///
        /// Not what the server sent: to that it could have added anybody's certificate.
        private static func validatedChain(_ trust: SecTrust) -> [Data]? {
            guard SecTrustEvaluateWithError(trust, nil),
                let chain = SecTrustCopyCertificateChain(trust) as? [SecCertificate]
            else { return nil }
            return chain.map { SecCertificateCopyData($0) as Data }
        }
    }
#endif
