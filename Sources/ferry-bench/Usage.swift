import Foundation

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// What this process has used so far, in seconds.
struct Usage {
    /// On a monotonic clock.
    let time: Double
    /// Processor time, in user and kernel, over all threads.
    let processor: Double

    static var now: Usage { Usage(time: seconds(CLOCK_MONOTONIC), processor: seconds(CLOCK_PROCESS_CPUTIME_ID)) }

    private static func seconds(_ clock: clockid_t) -> Double {
        var time = timespec()
        clock_gettime(clock, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }
}

/// Resident memory of this process, in bytes; 0 where there is no /proc.
enum ResidentMemory {
    /// Now.
    static var current: Int { field("VmRSS:") }

    /// The most so far.
    static var peak: Int { field("VmHWM:") }

    private static func field(_ name: String) -> Int {
        guard let text = try? String(contentsOfFile: "/proc/self/status", encoding: .utf8) else { return 0 }
        let line = text.split(separator: "\n").first { $0.hasPrefix(name) }
        let kibibytes = line?.split { $0 == " " || $0 == "\t" }.dropFirst().first.flatMap { Int($0) }
        return (kibibytes ?? 0) * 1024
    }
}

/// What this process holds; 0 where there is no /proc.
struct ProcessCounts {
    let descriptors: Int
    let threads: Int
    /// Bytes.
    let resident: Int

    static var now: ProcessCounts {
        ProcessCounts(
            descriptors: entries("/proc/self/fd"), threads: entries("/proc/self/task"), resident: ResidentMemory.current
        )
    }

    /// Once threads that were waiting for work are gone: dispatch ends them after five seconds.
    static func atRest() async throws -> ProcessCounts {
        try await Task.sleep(for: .seconds(7))  // Nobody tells when a thread of dispatch has gone.
        return now
    }

    private static func entries(_ directory: String) -> Int {
        (try? FileManager.default.contentsOfDirectory(atPath: directory).count) ?? 0
    }
}
