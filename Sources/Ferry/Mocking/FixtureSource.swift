public import Foundation

/// Where fixture files are found.
///
/// ```swift
/// let files = FixtureSource.directory(URL(filePath: "Fixtures/api"))
/// let resources = FixtureSource.bundle(.module, subdirectory: "Fixtures")      // resources: [.copy("Fixtures")]
/// let both = FixtureSource.sources([.memory(["users/1.json": data]), resources])
/// ```
///
/// Names are relative paths with `/` between their parts. A name that could lead out of the source (`..`, an absolute
/// path, a backslash, a symbolic link to a place outside) is refused.
public struct FixtureSource: Sendable {
    private indirect enum Place: Sendable {
        case directory(URL)
        case memory([String: Data])
        case sources([FixtureSource])
    }

    private let place: Place

    /// Files below a directory.
    ///
    /// - Parameter url: A file URL.
    public static func directory(_ url: URL) -> FixtureSource { FixtureSource(place: .directory(url)) }

    /// Files below a bundle's resources, such as those of a target that copies its `Fixtures` folder.
    ///
    /// Use `.copy("Fixtures")` in the package manifest: `.process` flattens folders, and the names would not be found.
    ///
    /// - Parameters:
    ///   - bundle: For instance `Bundle.module`.
    ///   - subdirectory: A folder below the resources, such as `Fixtures`. Default: the resources themselves.
    public static func bundle(_ bundle: Bundle, subdirectory: String? = nil) -> FixtureSource {
        let resources = bundle.resourceURL ?? bundle.bundleURL
        return .directory(
            subdirectory.map { resources.appending(path: $0, directoryHint: .isDirectory) } ?? resources)
    }

    /// Files in memory, by name.
    public static func memory(_ files: [String: Data]) -> FixtureSource { FixtureSource(place: .memory(files)) }

    /// Several sources; the first that has a file gives it.
    public static func sources(_ sources: [FixtureSource]) -> FixtureSource {
        FixtureSource(place: .sources(sources))
    }

    /// No files: for mocks that carry their content.
    public static let empty = FixtureSource(place: .memory([:]))

    /// The bytes of a fixture; an empty file is a fixture.
    ///
    /// - Parameter name: Its path below the source.
    /// - Throws: `NetworkError` of kind `mock`: a missing file, naming each path that was tried; a name that is refused;
    ///   anything but a regular file; one that cannot be read.
    public func data(named name: String) throws(NetworkError) -> Data {
        if let flaw = FixtureName.flaw(in: name) {
            throw NetworkError(.mock, "Fixture name \(name.debugDescription) is refused: \(flaw)")
        }
        var tried: [String] = []
        if let data = try find(name, tried: &tried) { return data }
        let places = tried.isEmpty ? "there is no fixture source" : "tried " + tried.joined(separator: ", ")
        throw NetworkError(.mock, "Fixture \(name.debugDescription) does not exist: \(places)")
    }

    private func find(_ name: String, tried: inout [String]) throws(NetworkError) -> Data? {
        switch place {
        case .directory(let url):
            return try FixtureDirectory(url).find(name, tried: &tried)
        case .memory(let files):
            if let data = files[name] { return data }
            tried.append("\(files.count) in memory")
            return nil
        case .sources(let sources):
            for source in sources {
                if let data = try source.find(name, tried: &tried) { return data }
            }
            return nil
        }
    }
}

/// The files below one directory.
private struct FixtureDirectory {
    let url: URL

    init(_ url: URL) { self.url = url }

    func find(_ name: String, tried: inout [String]) throws(NetworkError) -> Data? {
        guard url.isFileURL else {
            throw NetworkError(.mock, "The fixture directory \(url.redacted) is not a file URL")
        }
        // By path, not by URL: a URL would read percent signs and semicolons in names.
        var root = url.path(percentEncoded: false)
        while root.utf8.count > 1, root.utf8.last == UInt8(ascii: "/") { root.removeLast() }
        let path = root + "/" + name
        tried.append(path)
        guard FileManager.default.fileExists(atPath: path) else { return nil }

        let realPath = Self.resolved(path)
        let realRoot = Self.resolved(root)
        guard realPath.utf8.starts(with: (realRoot == "/" ? "/" : realRoot + "/").utf8) else {
            throw NetworkError(.mock, "Fixture \(name.debugDescription) is refused: it links out of \(root)")
        }
        do {
            let type = try FileManager.default.attributesOfItem(atPath: realPath)[.type] as? FileAttributeType
            guard type == .typeRegular else {
                throw NetworkError(.mock, "Fixture \(name.debugDescription) is not a regular file: \(path)")
            }
            return try Data(contentsOf: URL(filePath: realPath, directoryHint: .notDirectory))
        } catch let error as NetworkError {
            throw error
        } catch {
            throw NetworkError(
                .mock, "Fixture \(name.debugDescription) cannot be read: \(path)", underlying: error)
        }
    }

    private static func resolved(_ path: String) -> String {
        URL(filePath: path).resolvingSymlinksInPath().standardizedFileURL.path(percentEncoded: false)
    }
}
