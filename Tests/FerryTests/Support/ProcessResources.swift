import Foundation
import XCTest

/// What this process holds of the system; all zero where there is no /proc.
struct ProcessResources {
    let descriptors: Int
    let threads: Int
    let resident: Int

    static var now: ProcessResources {
        func count(_ path: String) -> Int { (try? FileManager.default.contentsOfDirectory(atPath: path).count) ?? 0 }
        let statm = try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8)
        let pages = statm?.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0
        return ProcessResources(
            descriptors: count("/proc/self/fd"), threads: count("/proc/self/task"), resident: pages * 4096)
    }

    /// Asserts that there are no more descriptors and threads now, but for what comes and goes: a few connections of the
    /// session's pool, on both ends, as the server is in this process, and workers of dispatch.
    func assertNoGrowth(file: StaticString = #filePath, line: UInt = #line) {
        let now = Self.now
        XCTAssertLessThanOrEqual(now.descriptors, descriptors + 16, "descriptors", file: file, line: line)
        XCTAssertLessThanOrEqual(now.threads, threads + 16, "threads", file: file, line: line)
    }

    func assertResidentGrowth(atMost bytes: Int, file: StaticString = #filePath, line: UInt = #line) {
        XCTAssertLessThanOrEqual(Self.now.resident - resident, bytes, "resident bytes", file: file, line: line)
    }
}
