import Foundation

/// What the command line asks for.
struct Arguments: Equatable {
    /// What to do.
    enum Action: Equatable {
        /// Print the usage.
        case help
        /// Print the names of the chapters.
        case list
        /// Run chapters.
        case run
    }

    var action = Action.run
    /// The server to call; nil starts one in this process.
    var baseURL: URL?
    /// The chapters to run; empty for all.
    var only: [String] = []

    /// Reads the arguments.
    ///
    /// - Parameters:
    ///   - arguments: What follows the program's name.
    ///   - chapters: The names that `--only` may give.
    /// - Throws: `UsageError`.
    init(_ arguments: [String], chapters: [String]) throws(UsageError) {
        var rest = arguments[...]
        while let argument = rest.popFirst() {
            let parts = argument.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            let name = parts.first.map(String.init) ?? ""
            let attached = parts.count > 1 ? String(parts[1]) : nil
            switch name {
            case "--help" where attached == nil, "-h" where attached == nil:
                action = .help
            case "--list" where attached == nil:
                if action == .run { action = .list }
            case "--base-url":
                guard baseURL == nil else { throw UsageError(message: "--base-url is given twice") }
                baseURL = try Self.url(try Self.value(of: name, attached, &rest))
            case "--only":
                let chapter = try Self.value(of: name, attached, &rest)
                guard chapters.contains(chapter) else {
                    throw UsageError(message: "there is no chapter '\(chapter)'; --list names them")
                }
                if !only.contains(chapter) { only.append(chapter) }
            default:
                throw UsageError(message: "unknown argument '\(argument)'")
            }
        }
    }

    private static func value(
        of name: String, _ attached: String?, _ rest: inout ArraySlice<String>
    ) throws(UsageError) -> String {
        let value = attached ?? rest.popFirst() ?? ""
        guard !value.isEmpty, attached != nil || !value.hasPrefix("-") else {
            throw UsageError(message: "\(name) needs a value")
        }
        return value
    }

    private static func url(_ text: String) throws(UsageError) -> URL {
        guard let url = URL(string: text), let host = url.host(), !host.isEmpty,
            ["http", "https"].contains(url.scheme?.lowercased())
        else { throw UsageError(message: "--base-url needs an http or https URL, not '\(text)'") }
        return url
    }

    /// What `--help` prints.
    static let usage = """
        usage: ferry-demo [--base-url URL] [--only NAME]...
               ferry-demo --list | --help

        A tour of Ferry, one chapter a capability: the code, what went over the wire, and the typed result.

          --base-url URL   make the calls against a server that serves the files of Fixtures/api, such as
                           python3 -m http.server; chapters that need more of the server are skipped.
                           Default: a server in this process
          --only NAME      run this chapter; may be repeated
          --list           print the names of the chapters
          --help, -h       print this text

        Exit codes: 0 all chapters went well, 1 one failed, 64 wrong arguments.
        """
}

/// Arguments that make no sense.
struct UsageError: Error, Equatable {
    /// What is wrong, without a full stop.
    var message: String
    /// EX_USAGE of sysexits.h.
    static let exitCode: Int32 = 64
}
