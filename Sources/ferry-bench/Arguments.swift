import Foundation

/// What the command line asks for.
struct Arguments {
    /// Only works whose name contains this.
    var filter: String?
    /// Where the rows are written as JSON.
    var json: String?
    /// Smaller sizes and fewer rounds: under a minute.
    var isQuick = false
    /// Rounds of each work.
    var rounds: Int?

    enum Command {
        case help
        case serve
        case stream(StreamWorks.Plan)
        #if os(Linux)
            case curlChild([String])
        #endif
        case upload(UploadWorks.Plan)
        case download(DownloadWorks.Plan)
        case calls(LoadWorks.Plan)
        case growth(Arguments)
        case counts(file: String, isUpdate: Bool)
        case measure(Arguments)
    }

    /// Why a command line cannot be understood.
    struct Wrong: Error {
        let message: String
    }

    static let usage = """
        USAGE: ferry-bench [--filter NAME] [--json FILE] [--quick] [--rounds N]
               ferry-bench --growth [--filter NAME] [--rounds N]
               ferry-bench counts [--update] FILE
               ferry-bench serve

        Measures Ferry against a baseline, in interleaved rounds, and prints the medians.
        Build it with -c release: the numbers of a debug build mean nothing.

          --filter NAME   only works whose name contains NAME
          --json FILE     also writes the rows to FILE: name, metric, value, baseline, ratio, budget, holds
          --quick         smaller sizes and fewer rounds: under a minute
          --rounds N      rounds of each work, from 1 (default 9, quick 3)
          --growth        how cost grows with size, with the fitted exponents, in place of the works
          --help          prints this

        counts compares what the hottest operations allocate, copy and schedule with FILE, or writes it there; run it as
        .ci/counts does.

        serve starts the server alone: it prints its port and ends when its standard input closes.
        """

    static func parse(_ words: [String]) throws(Wrong) -> Command {
        if words == ["serve"] { return .serve }
        if words.first == StreamWorks.Plan.command { return .stream(try StreamWorks.Plan(Array(words.dropFirst()))) }
        #if os(Linux)
            if words.first == CurlWorks.command { return .curlChild(Array(words.dropFirst())) }
        #endif
        if words.first == DownloadWorks.Plan.command {
            return .download(try DownloadWorks.Plan(Array(words.dropFirst())))
        }
        if words.first == LoadWorks.Plan.command { return .calls(try LoadWorks.Plan(Array(words.dropFirst()))) }
        if words.first == "counts" {
            let rest = words.dropFirst()
            let files = rest.filter { $0 != "--update" }
            guard files.count == 1, !files[0].hasPrefix("--") else { throw Wrong(message: "counts takes one file") }
            return .counts(file: files[0], isUpdate: files.count < rest.count)
        }
        if words.first == UploadWorks.Plan.command { return .upload(try UploadWorks.Plan(Array(words.dropFirst()))) }
        var arguments = Arguments()
        var rest = words[...]
        var isGrowth = false
        while let word = rest.popFirst() {
            switch word {
            case "--help", "-h": return .help
            case "--growth": isGrowth = true
            case "--quick": arguments.isQuick = true
            case "--filter": arguments.filter = try value(of: word, &rest)
            case "--json": arguments.json = try value(of: word, &rest)
            case "--rounds":
                let text = try value(of: word, &rest)
                guard let rounds = Int(text), (1...1000).contains(rounds) else {
                    throw Wrong(message: "--rounds takes a number from 1 to 1000, not \(text.debugDescription)")
                }
                arguments.rounds = rounds
            default: throw Wrong(message: "Unknown argument \(word.debugDescription)")
            }
        }
        return isGrowth ? .growth(arguments) : .measure(arguments)
    }

    private static func value(of option: String, _ rest: inout ArraySlice<String>) throws(Wrong) -> String {
        guard let value = rest.popFirst(), !value.hasPrefix("--"), !value.isEmpty else {
            throw Wrong(message: "\(option) takes a value")
        }
        return value
    }
}
