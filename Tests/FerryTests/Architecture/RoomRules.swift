import Foundation

/// Which room may know which, and who breaks it.
enum RoomRules {
    /// A source file and the folder under `Sources/Ferry` that it is in.
    struct File {
        let room: String
        let name: String
        let source: String
    }

    /// Middle rooms: each may know Messages and Pipeline, and none may know another.
    static let middle = [
        "Encoding", "Responses", "Streaming", "Caching", "Resilience", "Authorization", "Redirection", "Transfers",
        "Cookies",
        "Mocking", "Observability", "Reachability", "Transport",
    ]

    /// The rooms that a room may know besides itself; nil for a folder that is no room.
    static func known(to room: String) -> Set<String>? {
        let pipeline: Set<String> = ["Messages", "Pipeline"]
        switch room {
        case "Messages": return []
        case "Pipeline": return ["Messages"]
        case "Calls": return pipeline.union(middle)
        case "Client": return pipeline.union(middle).union(["Calls"])
        case "Paging": return pipeline.union(middle).union(["Calls", "Client"])
        default: return middle.contains(room) ? pipeline : nil
        }
    }

    /// Each forbidden mention, as a text that names the file, the type and its room.
    ///
    /// What is seen: the name of a type that another room declares at top level. Members that another room adds to
    /// a shared type have no name of their own and are not seen.
    static func violations(in files: [File]) -> [String] {
        var found: [String] = []
        for room in Set(files.map(\.room)).sorted() where known(to: room) == nil {
            found.append("\(room): no rule says what this room may know")
        }
        let tokens = files.map { SwiftTokens($0.source).tokens }
        var homes: [String: Set<String>] = [:]
        for (file, tokens) in zip(files, tokens) {
            for name in declared(in: tokens) { homes[name, default: []].insert(file.room) }
        }
        for (file, tokens) in zip(files, tokens) {
            guard let known = known(to: file.room) else { continue }
            let own = shadowed(in: tokens)
            let names = Set(tokens.filter { !$0.isMember }.map(\.text)).subtracting(own)
            for name in names.sorted() {
                guard let rooms = homes[name], rooms.isDisjoint(with: known.union([file.room])) else { continue }
                found.append("\(file.room)/\(file.name) names \(name) of \(rooms.sorted().joined(separator: ", "))")
            }
        }
        return found
    }

    private static let declaring: Set<String> = ["struct", "class", "enum", "protocol", "actor"]

    /// The types at top level that another file can name.
    private static func declared(in tokens: [SwiftTokens.Token]) -> [String] {
        tokens.indices.dropLast().compactMap { index in
            guard tokens[index].depth == 0, declaring.contains(tokens[index].text) else { return nil }
            let modifiers = tokens[..<index].suffix(2).map(\.text)
            guard !modifiers.contains("private"), !modifiers.contains("fileprivate") else { return nil }
            return tokens[index + 1].text
        }
    }

    /// The names that stand for something of the file's own: an associated type, an alias or a nested type.
    private static func shadowed(in tokens: [SwiftTokens.Token]) -> Set<String> {
        let keywords = declaring.union(["associatedtype", "typealias"])
        return Set(
            tokens.indices.dropLast().filter { keywords.contains(tokens[$0].text) }.map { tokens[$0 + 1].text })
    }
}
