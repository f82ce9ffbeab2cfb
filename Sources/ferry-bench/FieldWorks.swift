import Ferry
import Foundation

/// Header fields that are parsed; against splitting at commas, which is wrong for quoted strings.
enum FieldWorks {
    static var all: [Work] {
        [Work(name: "Link parsing", run: link), Work(name: "Cache-Control parsing", run: cacheControl)]
    }

    static let link =
        #"<https://api.example.com/items?page=2>; rel="next", <https://api.example.com/items?page=9>; rel="last", "#
        + #"<https://api.example.com/items?page=1>; rel="first"; title="the first, of many""#

    static let cacheControl =
        #"private, max-age=600, stale-while-revalidate=30, no-cache="Set-Cookie", must-revalidate"#

    private static func link(_ bench: Bench) async throws -> [Row] {
        try await bench.compared("Link parsing", count: 10_000) {
            precondition(LinkHeader(link).links.count == 3, "A wrong answer")
        } baseline: {
            let links = link.split(separator: ",").map { part in
                part.split(separator: ";").map { $0.trimmingCharacters(in: .whitespaces) }
            }
            precondition(links.count == 4, "A wrong answer")
        }
    }

    private static func cacheControl(_ bench: Bench) async throws -> [Row] {
        try await bench.compared("Cache-Control parsing", count: 10_000) {
            precondition(CacheControl([cacheControl]).directives.count == 5, "A wrong answer")
        } baseline: {
            var directives: [String: String] = [:]
            for part in cacheControl.split(separator: ",") {
                let pair = part.split(separator: "=", maxSplits: 1).map { $0.trimmingCharacters(in: .whitespaces) }
                directives[pair[0].lowercased()] = pair.count > 1 ? pair[1] : ""
            }
            precondition(directives.count == 5, "A wrong answer")
        }
    }
}
