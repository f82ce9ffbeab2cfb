import Foundation
import XCTest

/// How much memory of this process is resident.
enum ResidentMemory {
    /// Growth of the highest mark over what was resident before, in MiB; nil where the system does not tell, and under
    /// the thread sanitizer, whose shadow memory is counted along.
    static func growth(_ body: () async throws -> Void) async throws -> Double? {
        // Sets the highest mark to what is resident now (proc(5)).
        try? Data("5".utf8).write(to: URL(filePath: "/proc/self/clear_refs"))
        let before = status("VmRSS")
        try await body()
        #if FERRY_THREAD_SANITIZER
            return nil
        #else
            guard let before, let peak = status("VmHWM") else { return nil }
            return (peak - before) / 1024
        #endif
    }

    /// Bytes that are resident now; 0 where the system does not tell.
    static var bytes: Int { Int((status("VmRSS") ?? 0) * 1024) }

    /// Asserts that no more has become resident since then.
    static func assertGrowth(
        since before: Int, atMost limit: Int, file: StaticString = #filePath, line: UInt = #line
    ) {
        XCTAssertLessThanOrEqual(bytes - before, limit, "resident bytes", file: file, line: line)
    }

    /// A line of /proc/self/status in kB.
    private static func status(_ name: String) -> Double? {
        guard let text = try? String(contentsOfFile: "/proc/self/status", encoding: .utf8) else { return nil }
        let line = text.split(separator: "\n").first { $0.hasPrefix("\(name):") }
        return line?.split(whereSeparator: \.isWhitespace).dropFirst().first.flatMap { Double($0) }
    }
}
