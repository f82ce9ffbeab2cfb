public import Foundation
import Synchronization

/// The cookies of a client (RFC 6265 §5.3, §5.4, with the safety rules of RFC 6265bis).
///
/// ```swift
/// let jar = CookieJar()
/// let client = NetworkClient(baseURL: url) { $0.cookieJar = jar }
/// try jar.setCookie(Cookie(name: "theme", value: "dark", domain: "example.com"))
/// try JSONEncoder().encode(jar.cookies).write(to: file)                          // keep
/// let restored = CookieJar(try JSONDecoder().decode([Cookie].self, from: data))  // and restore
/// ```
///
/// It holds at most 50 cookies a domain and 3000 in all (RFC 6265 §6.1); beyond that, ended cookies go first, then those
/// that were not sent or set for longest. It refuses a Domain that is known as a public suffix; the built-in test knows
/// single labels, the usual second levels of country domains and some hosting domains, not the whole list of
/// publicsuffix.org. Secure cookies are neither taken from nor sent over http, `localhost` included.
public final class CookieJar: Sendable {
    /// Most cookies of one domain.
    public static let domainLimit = 50
    /// Most cookies in all.
    public static let limit = 3000

    /// Guards the cookies: every call of a client may read and store at once. A lock, because each use is short and a
    /// call should not hop to an actor for it.
    private let storage: Mutex<CookieStorage>
    private let isPublicSuffix: @Sendable (String) -> Bool

    /// Creates a jar.
    ///
    /// - Parameters:
    ///   - cookies: What it holds at first, earliest first; ended cookies and those that cannot be sent are skipped.
    ///     Default: nothing.
    ///   - date: When. Default now.
    ///   - isPublicSuffix: Whether nobody may set cookies for all of a domain, given in lower case. Default: the
    ///     built-in test.
    public init(
        _ cookies: [Cookie] = [], at date: Date = Date(), isPublicSuffix: (@Sendable (String) -> Bool)? = nil
    ) {
        self.isPublicSuffix = isPublicSuffix ?? { PublicSuffixes.contains($0) }
        var storage = CookieStorage()
        for cookie in cookies where Self.problem(of: cookie) == nil {
            storage.store(Self.normalized(cookie), at: date)
        }
        self.storage = Mutex(storage)
    }

    /// All cookies, earliest first. Ended ones may be among them until they are next looked for.
    public var cookies: [Cookie] { storage.withLock { $0.all } }

    /// The cookies that a request gets, in the order in which they are sent: longer paths first, then earlier ones
    /// (RFC 6265 §5.4).
    ///
    /// - Parameters:
    ///   - url: The URL of the request.
    ///   - date: When. Default now.
    public func cookies(for url: URL, at date: Date = Date()) -> [Cookie] {
        guard storage.withLock({ $0.count > 0 }) else { return [] }
        let reference = URIReference(url)
        guard let origin = Origin(reference) else { return [] }
        return storage.withLock { $0.cookies(for: origin, path: Self.path(of: reference), at: date) }
    }

    /// The Cookie header of a request (RFC 6265 §5.4), or nil where it gets none.
    ///
    /// - Parameters:
    ///   - url: The URL of the request.
    ///   - date: When. Default now.
    public func header(for url: URL, at date: Date = Date()) -> String? {
        let cookies = cookies(for: url, at: date)
        return cookies.isEmpty ? nil : cookies.map { "\($0.name)=\($0.value)" }.joined(separator: "; ")
    }

    /// Stores what the Set-Cookie fields of a response say (RFC 6265 §5.3). What the origin may not set is ignored.
    ///
    /// - Parameters:
    ///   - headers: The fields of the response; several cookies folded into one line are told apart.
    ///   - url: The URL that answered.
    ///   - date: When. Default now.
    public func store(_ headers: HTTPHeaders, from url: URL, at date: Date = Date()) {
        let lines = headers.values(of: "Set-Cookie")
        guard !lines.isEmpty else { return }
        let reference = URIReference(url)
        guard let origin = Origin(reference) else { return }
        let path = Self.path(of: reference)
        let cookies = SetCookieParser.cookies(in: lines).compactMap {
            CookieRules.cookie($0, from: origin, path: path, at: date, isPublicSuffix: isPublicSuffix)
        }
        storage.withLock { storage in
            for cookie in cookies where origin.scheme == "https" || !storage.hidesSecure(cookie) {
                storage.store(cookie, at: date)
            }
        }
    }

    /// Stores a cookie of your own, in place of one with the same name, domain and path; an ended one removes that.
    ///
    /// - Parameters:
    ///   - cookie: The cookie. Its domain is taken as it is: also a public suffix is yours to set.
    ///   - date: When. Default now.
    /// - Throws: `NetworkError` of kind `invalidHeader` where it has no name or domain, or a character that cannot be
    ///   sent: controls and ";" anywhere, "=" in the name.
    public func setCookie(_ cookie: Cookie, at date: Date = Date()) throws(NetworkError) {
        if let problem = Self.problem(of: cookie) { throw NetworkError(.invalidHeader, problem) }
        storage.withLock { $0.store(Self.normalized(cookie), at: date) }
    }

    /// Removes a cookie by its name, domain and path.
    public func remove(_ cookie: Cookie) {
        storage.withLock { $0.remove(Self.normalized(cookie)) }
    }

    /// Removes all cookies.
    public func removeAll() {
        storage.withLock { $0 = CookieStorage() }
    }

    private static func path(of url: URIReference) -> String { url.path.isEmpty ? "/" : url.path }

    /// The cookie with domain and path in the form that look-ups compare: both can be set and decoded freely.
    private static func normalized(_ cookie: Cookie) -> Cookie {
        Cookie(
            name: cookie.name, value: cookie.value, domain: cookie.domain, isHostOnly: cookie.isHostOnly,
            path: cookie.path, expires: cookie.expires, isSecure: cookie.isSecure, isHTTPOnly: cookie.isHTTPOnly,
            sameSite: cookie.sameSite)
    }

    /// Why a cookie cannot be sent, or nil. Cookies that are decoded or seeded come unchecked.
    private static func problem(of cookie: Cookie) -> String? {
        func isSendable(_ text: String, without delimiters: String) -> Bool {
            text.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F && !delimiters.utf8.contains($0) }
                && FieldSyntax.trimmed(text) == text
        }
        if cookie.name.isEmpty || cookie.domain.isEmpty { return "A cookie needs a name and a domain" }
        guard isSendable(cookie.name, without: ";="), isSendable(cookie.value, without: ";"),
            isSendable(cookie.path, without: ";"), isSendable(cookie.domain, without: ";")
        else { return "A cookie has a character that cannot be sent" }
        return nil
    }
}

extension CookieJar: CustomStringConvertible, CustomReflectable {
    /// How many cookies there are: values may be secret.
    public var description: String { "\(storage.withLock { $0.count }) cookies" }

    /// What the description shows: values may be secret.
    public var customMirror: Mirror { Mirror(self, children: ["count": storage.withLock { $0.count }]) }
}
