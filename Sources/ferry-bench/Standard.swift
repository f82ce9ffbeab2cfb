import Foundation

/// Writes to the standard streams at once, without the buffer of `print`.
enum Standard {
    static func output(_ line: String) { FileHandle.standardOutput.write(Data((line + "\n").utf8)) }

    static func error(_ line: String) { FileHandle.standardError.write(Data((line + "\n").utf8)) }
}
