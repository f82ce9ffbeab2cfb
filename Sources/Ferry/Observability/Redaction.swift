public import Foundation

/// What must not be shown of messages: replaces secrets by `REDACTED` in fields, URLs and content.
///
/// ```swift
/// let client = NetworkClient(baseURL: url) {
///     $0.redaction = .standard.hiding("X-Tenant", "iban")     // besides those that are always hidden
/// }
/// ```
///
/// A name counts wherever it stands: as a header field, in a query or form, as a member of a JSON object at any depth.
/// Case, `-`, `_`, dots and spaces do not count: `accessToken`, `Access-Token` and `access_token` are one name, and
/// `user[password]` is `password`. Names that contain `password`, `secret` or the like, and those that end with `token`,
/// are hidden whatever else they contain (RFC 6750 §5.3 and RFC 9110 §17.16 ask for as much).
///
/// Content is searched as far as it is text: JSON within strings of JSON, URLs within fields, percent-encoded values
/// within values, elements of XML. What is encrypted, compressed or in base64 is not.
public struct Redaction: Hashable, Sendable {
    /// What stands in place of a secret. It needs no escaping in a URL, a field, a form or JSON.
    public static let placeholder = "REDACTED"

    /// Hides what usually is a secret.
    public static let standard = Redaction(isActive: true)
    /// Hides nothing: for output that stays with whoever makes it.
    public static let none = Redaction(isActive: false)

    /// Whether anything is hidden.
    let isActive: Bool
    private var hidden: Set<String> = []
    private var shown: Set<String> = []

    private init(isActive: Bool) { self.isActive = isActive }

    /// A redaction that hides the values of further names.
    ///
    /// - Parameter names: Names of fields, parameters and JSON members, in any case.
    public func hiding(_ names: String...) -> Redaction {
        var copy = self
        copy.hidden.formUnion(names.map(Self.folded))
        copy.shown.subtract(names.map(Self.folded))
        return copy
    }

    /// A redaction that shows the values of names that are no secrets, such as a `pageToken`.
    ///
    /// - Parameter names: Names of fields, parameters and JSON members, in any case.
    public func showing(_ names: String...) -> Redaction {
        var copy = self
        copy.shown.formUnion(names.map(Self.folded))
        copy.hidden.subtract(names.map(Self.folded))
        return copy
    }
}

extension Redaction {
    /// Fields with the values of secret ones replaced; of other ones, what in them is a secret, such as a token in the URL of
    /// `Location`.
    public func headers(_ headers: HTTPHeaders) -> HTTPHeaders {
        guard isActive else { return headers }
        return HTTPHeaders(
            headers.map { field in
                HTTPHeaders.Field(
                    name: field.name, value: hides(field.name, .field) ? Self.placeholder : text(field.value))
            })
    }

    /// A URL without userinfo, and with the values of secret names in its query and fragment replaced.
    public func url(_ url: URL) -> URL {
        guard isActive else { return url }
        let text = url.absoluteString
        let redacted = string(urlBytes(Array(text.utf8), depth: 0))
        // What is not a URL any more cannot be shown as one; there is no such case known.
        return redacted == text ? url : URL(string: redacted) ?? URL(filePath: "/" + Self.placeholder)
    }

    /// Any text with the secrets in it replaced: URLs, `name=value`, `name: value`, JSON, credentials after `Bearer` and `Basic`.
    public func text(_ text: String) -> String {
        guard isActive else { return text }
        return string(self.text(Array(text.utf8), depth: 0))
    }

    /// Content with the secrets in it replaced, as bytes. What is no text stays as it is.
    ///
    /// - Parameters:
    ///   - data: The content, without content coding; it may be cut off anywhere.
    ///   - contentType: Its media type, or nil where none is known.
    public func body(_ data: Data, contentType: MediaType?) -> Data {
        guard isActive else { return data }
        return body(Array(data), contentType: contentType, depth: 0).map { Data($0) } ?? data
    }

    /// Content with the secrets in it replaced, as text; nil where it is no text in UTF-8.
    ///
    /// - Parameters:
    ///   - data: The content, without content coding; it may be cut off anywhere.
    ///   - contentType: Its media type, or nil where none is known.
    public func bodyText(_ data: Data, contentType: MediaType?) -> String? {
        var bytes = Array(data)
        Self.dropCutScalar(&bytes)
        guard let plain = String(validating: bytes, as: UTF8.self), !bytes.contains(0) else {
            // A form of parts can hold text and files.
            guard contentType?.type == "multipart" else { return nil }
            return body(bytes, contentType: contentType, depth: 0, hidesBinary: true).map(string)
        }
        guard isActive else { return plain }
        return body(bytes, contentType: contentType, depth: 0, hidesBinary: true).map(string) ?? text(plain)
    }

    /// Removes the beginning of a scalar at the end of what was cut off.
    private static func dropCutScalar(_ bytes: inout [UInt8]) {
        guard let lead = bytes.suffix(4).lastIndex(where: { $0 & 0xC0 != 0x80 }) else { return }
        let length = bytes[lead] >= 0xF0 ? 4 : bytes[lead] >= 0xE0 ? 3 : bytes[lead] >= 0xC0 ? 2 : 1
        if length > 1, bytes.count - lead < length { bytes.removeSubrange(lead...) }
    }

    func string(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }
}

extension Redaction {
    /// Where a name stands.
    enum Place {
        /// A header field.
        case field
        /// A query or a form.
        case parameter
        /// A member of a JSON object, or a name in text.
        case member
    }

    /// Fields besides ``HTTPHeaders/credentialNames`` whose whole value is a secret, whatever its syntax.
    private static let fieldNames = Set(
        (HTTPHeaders.credentialNames + [
            "Set-Cookie", "Set-Cookie2", "Authentication-Info", "Proxy-Authentication-Info", "Authentication",
            "X-Authentication", "X-Key",
        ])
        .map(folded))

    /// Whole names that are secrets in any place.
    private static let names: Set<String> = [
        "auth", "authz", "cookie", "cookies", "setcookie", "jwt", "otp", "totp", "pass", "pin", "cvv", "cvv2", "cvc",
        "ssn", "sid", "creditcard", "authcode", "accesscode", "verificationcode",
        "session", "bearer", "assertion", "clientassertion", "samlresponse", "codeverifier", "devicecode", "usercode",
        "cardnumber", "credentials", "tokens", "oauthverifier", "onetimecode",
    ]

    /// What makes a name secret that ends with it as a word: `X-GitHub-OTP`, `userPin`, `session_cookie`.
    private static let lastWords: Set<String> = [
        "auth", "oauth", "cookie", "cookies", "jwt", "otp", "totp", "pass", "pin", "cvv", "cvc", "ssn", "session",
        "bearer", "assertion",
    ]

    /// Names that are secrets in a query or a form (OAuth codes, API keys, signed URLs) and harmless in JSON.
    private static let parameterNames: Set<String> = ["code", "key", "sig", "hmac"]

    /// What makes a longer name secret.
    private static let fragments = [
        "password", "passwd", "passphrase", "passcode", "pwd", "secret", "apikey", "accesskey", "privatekey",
        "authkey", "subscriptionkey", "signingkey", "encryptionkey", "sessionkey", "appkey", "applicationkey",
        "functionskey", "masterkey", "clientkey", "adminkey", "accountkey", "credential",
        "authorization", "signature", "sessionid", "sessid", "csrf", "xsrf",
    ]

    /// Whether the value of a name is hidden.
    func hides(_ name: String, _ place: Place) -> Bool {
        guard isActive else { return false }
        let name = Self.decoded(name)
        let whole = Self.folded(name)
        if shown.contains(whole) { return false }
        if hidden.contains(whole) || place == .field && Self.fieldNames.contains(whole) { return true }
        if hides(folded: whole, place) { return true }
        let last = Self.lastWord(of: name)
        if Self.lastWords.contains(last), !shown.contains(last) { return true }
        // `user[password]`, `user.password`
        let parts = name.split { $0 == "[" || $0 == "]" || $0 == "." }
        return parts.count > 1 && parts.contains { hides(folded: Self.folded(String($0)), place) }
    }

    /// A name without percent-encoding, however often it was encoded.
    private static func decoded(_ name: String) -> String {
        var name = name
        for _ in 0..<maximumDepth {
            guard name.utf8.contains(UInt8(ascii: "%")) else { return name }
            name = PercentEncoding.decode(name.utf8, plusIsSpace: true)
        }
        return name
    }

    private func hides(folded name: String, _ place: Place) -> Bool {
        if shown.contains(name) { return false }
        return hidden.contains(name) || Self.names.contains(name)
            || place == .parameter && Self.parameterNames.contains(name)
            || name.hasSuffix("token") || Self.fragments.contains { name.contains($0) }
    }

    /// The last word of a name in lower case: what follows the last `-`, `_`, dot or space, or begins with the last upper-case
    /// letter behind a lower-case one.
    private static func lastWord(of name: String) -> String {
        let letters = name.utf8.drop { !isLetter($0) }
        guard let last = letters.lastIndex(where: isLetter) else { return "" }
        var start = last
        while start > letters.startIndex {
            let before = letters.index(before: start)
            let byte = letters[before]
            guard isLetter(byte), !(byte & 0x20 != 0 && letters[start] & 0x20 == 0) else { break }
            start = before
        }
        return String(decoding: letters[start...last].map(FieldSyntax.lowercased), as: UTF8.self)
    }

    private static func isLetter(_ byte: UInt8) -> Bool { (0x61...0x7A).contains(byte | 0x20) }

    /// A name as names are compared.
    private static func folded(_ name: String) -> String {
        let scalars = name.lowercased().unicodeScalars.filter {
            $0.value >= 128 || $0.properties.isAlphabetic || ("0"..."9").contains($0)
        }
        return String(String.UnicodeScalarView(scalars))
    }
}

extension Redaction: CustomStringConvertible {
    /// Whether and how much is hidden.
    public var description: String { isActive ? "redaction with \(hidden.count) further names" : "no redaction" }
}
