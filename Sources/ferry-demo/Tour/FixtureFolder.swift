import Foundation

/// Finds the folder `Fixtures/api`.
enum FixtureFolder {
    /// In the checkout that this program was built from, else in the working directory.
    ///
    /// - Parameter candidates: Where to look, first come first served; each is a folder that has `Fixtures`.
    /// - Throws: `Unexpected` that names every place.
    static func find(in candidates: [URL] = Self.candidates) throws(Unexpected) -> URL {
        let folders = candidates.map { $0.appending(path: "Fixtures/api") }
        let found = folders.first {
            FileManager.default.fileExists(atPath: $0.appending(path: "users/1.json").path(percentEncoded: false))
        }
        guard let found else {
            let places = folders.map { $0.path(percentEncoded: false) }.joined(separator: ", ")
            throw Unexpected("the fixtures are not in \(places); run it in a checkout of the repository")
        }
        return found
    }

    private static var candidates: [URL] {
        var root = URL(filePath: #filePath)
        // <root>/Sources/ferry-demo/Tour/FixtureFolder.swift
        for _ in 0..<4 { root.deleteLastPathComponent() }
        return [root, URL(filePath: FileManager.default.currentDirectoryPath)]
    }
}
