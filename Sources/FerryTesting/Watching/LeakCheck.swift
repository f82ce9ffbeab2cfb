import Foundation

/// What a process holds that it must give back.
///
/// ```swift
/// let leaks = LeakCheck()
/// for _ in 0..<100 { _ = try await client.data(call) }
/// await leaks.assertNone(tolerance: 4)        // what the network stack keeps for itself
/// ```
///
/// A task that was left behind holds what it works with. So objects that must go away tell of tasks too:
///
/// ```swift
/// var client: NetworkClient? = NetworkClient(baseURL: url)
/// let leaks = LeakCheck(watching: client)
/// // … what is tested …
/// client = nil
/// await leaks.assertNone()
/// ```
public struct LeakCheck: Sendable {
    /// Open file descriptors, nil where the system does not tell.
    public let descriptors: Int?
    /// Threads, nil where the system does not tell.
    public let threads: Int?

    private let watched: [Watched]

    /// Counts now.
    ///
    /// - Parameter objects: What must have gone away when ``assertNone(tolerance:within:fileID:filePath:line:column:)``
    ///   is called: a client, a transport, a model. They are not kept alive. Default: none.
    public init(watching objects: (any AnyObject & Sendable)?...) {
        watched = objects.compactMap { $0.map(Watched.init) }
        descriptors = Self.entries(of: "/proc/self/fd") ?? Self.entries(of: "/dev/fd")
        threads = Self.entries(of: "/proc/self/task")
    }

    /// Fails the test where there are more descriptors or threads than at the start, or a watched object is still there,
    /// after some time to end.
    ///
    /// - Parameters:
    ///   - tolerance: How many more are not a leak. Default 0: warm up first what is made once for the process.
    ///   - limit: How long to wait for what ends by itself. Default 5 s.
    ///   - fileID: The place that a failure names, with the next three. Default: the caller's.
    ///   - filePath: As `fileID`.
    ///   - line: As `fileID`.
    ///   - column: As `fileID`.
    public func assertNone(
        tolerance: Int = 0, within limit: Duration = .seconds(5), fileID: StaticString = #fileID,
        filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column
    ) async {
        let end = ContinuousClock.now + limit
        var words = growth(tolerance)
        while !words.isEmpty, ContinuousClock.now < end, !Task.isCancelled {
            try? await Task.sleep(for: .milliseconds(10))  // Nobody tells when the kernel has closed.
            words = growth(tolerance)
        }
        guard !words.isEmpty else { return }
        let place = SourcePlace(fileID: fileID, filePath: filePath, line: line, column: column)
        TestIssue("Not given back: " + words.joined(separator: ", "), at: place).report()
    }

    /// What there is more of than at the start.
    package func growth(_ tolerance: Int) -> [String] {
        let now = LeakCheck()
        return [("descriptors", descriptors, now.descriptors), ("threads", threads, now.threads)].compactMap {
            name, before, after in
            guard let before, let after, after > before + tolerance else { return nil }
            return "\(after - before) \(name) (\(before) before, \(after) now)"
        } + watched.filter { $0.isAlive() }.map { "\($0.name), which something still holds, perhaps a task" }
    }

    /// An object that is not kept alive.
    private struct Watched: Sendable {
        let name: String
        let isAlive: @Sendable () -> Bool

        init(_ object: any AnyObject & Sendable) {
            name = "\(type(of: object))"
            isAlive = { [weak object] in object != nil }
        }
    }

    private static func entries(of directory: String) -> Int? {
        try? FileManager.default.contentsOfDirectory(atPath: directory).count
    }
}
