import Foundation

/// The store behind a jar: cookies by domain, with their order of creation and of last use (RFC 6265 §5.3).
///
/// Times of creation and use are numbers that count up: two cookies of one response have the same date and still an order.
struct CookieStorage {
    private struct Entry {
        var cookie: Cookie
        let created: UInt64
        var used: UInt64
    }

    private var domains: [String: [Entry]] = [:]
    private var last: UInt64 = 0
    private(set) var count = 0

    /// All cookies, earliest first.
    var all: [Cookie] {
        domains.values.joined().sorted { $0.created < $1.created }.map(\.cookie)
    }

    /// The cookies for a request, longer paths first, then earlier ones (§5.4). Removes ended ones on its way.
    mutating func cookies(for origin: Origin, path: String, at date: Date) -> [Cookie] {
        guard count > 0 else { return [] }
        last += 1
        var found: [Entry] = []
        for domain in Self.domains(of: origin) {
            removeExpired(domain, at: date)
            guard var entries = domains[domain] else { continue }
            for index in entries.indices {
                let cookie = entries[index].cookie
                guard !cookie.isHostOnly || origin.host == domain, !cookie.isSecure || origin.scheme == "https",
                    CookieRules.pathMatches(path, cookie.path)
                else { continue }
                entries[index].used = last
                found.append(entries[index])
            }
            domains[domain] = entries
        }
        found.sort { lhs, rhs in
            let (left, right) = (lhs.cookie.path.utf8.count, rhs.cookie.path.utf8.count)
            return left == right ? lhs.created < rhs.created : left > right
        }
        return found.map(\.cookie)
    }

    /// Stores a cookie in place of one with the same name, domain and path, whose place in the order it takes (§5.3,
    /// step 11). An ended cookie removes it.
    mutating func store(_ cookie: Cookie, at date: Date) {
        guard !cookie.isExpired(at: date) else { return remove(cookie) }
        last += 1
        if let index = index(of: cookie), let old = domains[cookie.domain]?[index] {
            domains[cookie.domain]?[index] = Entry(cookie: cookie, created: old.created, used: last)
            return
        }
        domains[cookie.domain, default: []].append(Entry(cookie: cookie, created: last, used: last))
        count += 1
        if domains[cookie.domain, default: []].count > CookieJar.domainLimit {
            removeExpired(cookie.domain, at: date)
            if domains[cookie.domain, default: []].count > CookieJar.domainLimit {
                removeLeastUsed(of: [cookie.domain])
            }
        }
        if count > CookieJar.limit {
            for domain in Array(domains.keys) { removeExpired(domain, at: date) }
            if count > CookieJar.limit { removeLeastUsed(of: Array(domains.keys)) }
        }
    }

    /// Removes the cookie with the same name, domain and path.
    mutating func remove(_ cookie: Cookie) {
        guard let index = index(of: cookie) else { return }
        removeEntry(cookie.domain, index)
    }

    /// Whether a cookie that comes over http would replace or stand before a Secure one of the same name (RFC 6265bis
    /// §5.7): whoever can write to http must not reach what https relies on.
    func hidesSecure(_ cookie: Cookie) -> Bool {
        domains.contains { domain, entries in
            entries.contains {
                $0.cookie.isSecure && $0.cookie.name == cookie.name
                    && CookieRules.pathMatches(cookie.path, $0.cookie.path)
            }
                && (CookieRules.domainMatches(domain, cookie.domain)
                    || CookieRules.domainMatches(cookie.domain, domain))
        }
    }

    private func index(of cookie: Cookie) -> Int? {
        domains[cookie.domain]?.firstIndex { $0.cookie.name == cookie.name && $0.cookie.path == cookie.path }
    }

    private mutating func removeExpired(_ domain: String, at date: Date) {
        guard var entries = domains[domain], entries.contains(where: { $0.cookie.isExpired(at: date) }) else { return }
        count -= entries.count
        entries.removeAll { $0.cookie.isExpired(at: date) }
        count += entries.count
        domains[domain] = entries.isEmpty ? nil : entries
    }

    private mutating func removeLeastUsed(of candidates: [String]) {
        var oldest: (domain: String, index: Int, used: UInt64)?
        for domain in candidates {
            for (index, entry) in domains[domain, default: []].enumerated() where entry.used < oldest?.used ?? .max {
                oldest = (domain, index, entry.used)
            }
        }
        if let oldest { removeEntry(oldest.domain, oldest.index) }
    }

    private mutating func removeEntry(_ domain: String, _ index: Int) {
        domains[domain]?.remove(at: index)
        count -= 1
        if domains[domain]?.isEmpty == true { domains[domain] = nil }
    }

    /// The domains whose cookies a host can get: itself and, for a name, each one above it.
    private static func domains(of origin: Origin) -> [String] {
        var result = [origin.host]
        guard !origin.isAddress else { return result }
        var rest = origin.host[...]
        while let dot = rest.firstIndex(of: ".") {
            rest = rest[rest.index(after: dot)...]
            result.append(String(rest))
        }
        return result
    }
}
