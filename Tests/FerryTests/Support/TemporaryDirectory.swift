import Foundation
import XCTest

extension XCTestCase {
    /// A new directory that goes with the test.
    func temporaryDirectory() throws -> URL {
        let url = FileManager.default.temporaryDirectory.appending(path: "ferry-tests-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
        addTeardownBlock { try FileManager.default.removeItem(at: url) }
        return url
    }
}

extension URL {
    /// Writes a file into this directory.
    func write(_ data: Data, _ name: String) throws -> URL {
        let file = appending(path: name)
        try data.write(to: file)
        return file
    }
}

extension AsyncStream where Element: Sendable {
    /// A stream of given elements.
    static func of(_ elements: [Element]) -> AsyncStream<Element> {
        AsyncStream { continuation in
            for element in elements { continuation.yield(element) }
            continuation.finish()
        }
    }
}
