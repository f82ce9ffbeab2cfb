import Ferry
import Foundation

/// Writes the tour, with colour or without.
struct Printer: Sendable {
    /// The parts of the tour that look different on a terminal.
    enum Look: String, Sendable {
        case title = "1"
        case code = "36"
        case sent = "33"
        case received = "35"
        case good = "32"
        case bad = "31"
        case aside = "2"
    }

    /// Whether to write ANSI colours.
    let isColoured: Bool
    /// Takes one line without its line break.
    let write: @Sendable (String) -> Void
    /// Writes over the line that was written last, on a terminal; nil where output only grows.
    var overwrite: (@Sendable (String) -> Void)?

    /// Whether standard output should have colour: it is a terminal that knows them, and nobody said `NO_COLOR`.
    static func wantsColour(isTerminal: Bool, environment: [String: String]) -> Bool {
        // https://no-color.org: any value that is not empty.
        isTerminal && (environment["NO_COLOR"] ?? "").isEmpty && environment["TERM"] != "dumb"
    }

    func heading(_ name: String, _ title: String) { line("\(name): \(title)", .title) }
    func code(_ code: String) { indented(code.split(separator: "\n", omittingEmptySubsequences: false), "  ", .code) }
    func sent(_ lines: [String]) { indented(lines, "  > ", .sent) }
    func received(_ lines: [String]) { indented(lines, "  < ", .received) }
    func result(_ text: String) { indented(text.split(separator: "\n"), "  = ", nil) }
    func ok(_ name: String) { outcome("ok", .good, name) }
    func skip(_ name: String) { outcome("skip", .aside, "\(name): needs the embedded server") }
    func failed(_ name: String, _ reason: String) {
        outcome("failed", .bad, "\(name): \(reason.split(whereSeparator: \.isNewline).joined(separator: " "))")
    }

    /// Shows how far a transfer is: a bar that grows in place on a terminal, else one line at the end.
    func progress(_ progress: TransferProgress) {
        let bar = "  = " + Self.bar(progress)
        if let overwrite {
            overwrite(bar)
            if progress.fraction == 1 { write("") }
        } else if progress.fraction == 1 {
            write(bar)
        }
    }

    /// A bar of 30 places, or the bytes alone where the total is unknown.
    static func bar(_ progress: TransferProgress) -> String {
        guard let fraction = progress.fraction else { return "\(progress.completed) bytes" }
        let full = Int(fraction * 30)
        let bar = String(repeating: "#", count: full) + String(repeating: ".", count: 30 - full)
        return "[\(bar)] \(Int(fraction * 100)) % of \(progress.total ?? 0) bytes"
    }

    private func outcome(_ word: String, _ look: Look, _ rest: String) {
        write("\(styled(word, look)) \(Self.plain(rest))")
        write("")
    }

    private func indented(_ lines: [some StringProtocol], _ indent: String, _ look: Look?) {
        for text in lines { line(indent + text, look) }
    }

    private func line(_ text: String, _ look: Look?) {
        let plain = Self.plain(text)
        write(look.map { styled(plain, $0) } ?? plain)
    }

    private func styled(_ text: String, _ look: Look) -> String {
        isColoured ? "\u{1B}[\(look.rawValue)m\(text)\u{1B}[0m" : text
    }

    /// The text without control characters: what came from a server must not reach the terminal as commands.
    private static func plain(_ text: String) -> String {
        String(text.unicodeScalars.map { $0.properties.generalCategory == .control ? "?" : Character($0) })
    }
}
