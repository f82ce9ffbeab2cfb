/// The length that a response announces (RFC 9110 §8.6, RFC 9112 §6.3).
package enum ContentLength {
    /// How many bytes of body must come, or nil where the head does not say or the bytes are decoded on the way.
    ///
    /// - Throws: `malformedResponse` where the length is no number or two lines differ.
    package static func expected(of head: HTTPResponse.Head, method: HTTPMethod) throws(NetworkError) -> Int64? {
        guard method != .head, !head.status.forbidsBody else { return nil }
        // Transfer-Encoding overrides (RFC 9112 §6.3); a coding makes the length count other bytes than are delivered.
        guard !head.headers.contains("Transfer-Encoding"), let text = head.headers["Content-Length"] else { return nil }
        var length: Int64?
        for part in text.split(separator: ",", omittingEmptySubsequences: false) {
            let digits = FieldSyntax.trimmed(part)
            guard !digits.isEmpty, digits.utf8.allSatisfy({ $0 >= 0x30 && $0 <= 0x39 }), let value = Int64(digits),
                length == nil || length == value
            else {
                throw NetworkError(
                    .malformedResponse, "The response has contradictory or malformed Content-Length fields")
            }
            length = value
        }
        if let coding = head.headers["Content-Encoding"],
            !FieldSyntax.equalIgnoringCase(FieldSyntax.trimmed(coding), "identity")
        {
            return nil
        }
        return length
    }
}
