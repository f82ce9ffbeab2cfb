package import Foundation
import Synchronization

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Android)
    import Android
#endif

/// The files of a disk store.
///
///     <directory>/v1/<64 digits of the URL>/<32 digits of the variant>
///     <directory>/v1/new-<process>-<number>-<random>      an entry that is being written
///
/// A file that is being written is locked by its writer; one that nobody has locked is left over from a process that
/// died, and goes. The time of modification is that of the last use.
package struct CacheDirectory: Sendable {
    /// A file that is there.
    package struct File: Sendable {
        package let place: EntryPlace
        package let bytes: Int
        /// In nanoseconds.
        package let modified: Int64
    }

    /// What reading gave.
    package enum Reading: Sendable {
        case absent
        case unusable
        case data(Data)
    }

    private let directory: String
    private let root: String
    private static let lastNumber = Atomic<UInt64>(0)

    package init(_ path: String) {
        directory = path.hasSuffix("/") && path.utf8.count > 1 ? String(path.dropLast()) : path
        root = directory + "/v1"
    }

    /// Creates the directories that are missing; whether they are there.
    package func prepare() -> Bool {
        if isDirectory(root) { return true }
        guard !directory.isEmpty, !directory.utf8.contains(0) else { return false }
        var path = ""
        for part in directory.split(separator: "/", omittingEmptySubsequences: true) {
            path += directory.hasPrefix("/") || !path.isEmpty ? "/\(part)" : String(part)
            if !isDirectory(path) { mkdir(path, 0o700) }
        }
        mkdir(root, 0o700)
        return isDirectory(root)
    }

    /// The variants of a URL that have a file.
    package func ids(of key: CacheKey) -> [String] { names(in: "\(root)/\(key.digest)").filter { isHex($0, 32) } }

    /// Reads a file whole.
    package func read(_ place: EntryPlace, limit: Int) -> Reading {
        let file = open(path(place), O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
        guard file >= 0 else { return errno == ENOENT || errno == ENOTDIR ? .absent : .unusable }
        defer { close(file) }
        var status = stat()
        guard fstat(file, &status) == 0, status.st_mode & S_IFMT == S_IFREG, Int(status.st_size) <= limit else {
            return .unusable
        }
        return read(file, count: Int(status.st_size)).map { .data($0) } ?? .unusable
    }

    /// The head of the entry in a file; nil where it is absent or damaged.
    package func head(_ place: EntryPlace) -> CacheEntry.Head? {
        let file = open(path(place), O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
        guard file >= 0 else { return nil }
        defer { close(file) }
        var status = stat()
        guard fstat(file, &status) == 0, status.st_mode & S_IFMT == S_IFREG,
            var data = read(file, count: CacheEntryCoding.prefixSize),
            let offset = CacheEntryCoding.bodyOffset(prefix: data),
            let rest = read(
                file, count: offset - CacheEntryCoding.prefixSize, at: CacheEntryCoding.prefixSize)
        else { return nil }
        data += rest
        guard let head = CacheEntryCoding.decodeHead(data), head.key == place.key, head.id == place.id,
            Int(status.st_size) == offset + head.byteCount
        else { return nil }
        return head
    }

    /// Writes a file so that nobody ever sees a part of it; whether that worked.
    package func write(_ data: Data, at place: EntryPlace) -> Bool {
        let number = Self.lastNumber.add(1, ordering: .relaxed).newValue
        let temporary = "\(root)/new-\(getpid())-\(number)-\(UInt32.random(in: 0...UInt32.max))"
        let file = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard file >= 0 else { return false }
        defer { close(file) }
        guard flock(file, LOCK_EX | LOCK_NB) == 0, write(file, data) else {
            unlink(temporary)
            return false
        }
        let target = path(place)
        if rename(temporary, target) == 0 { return true }
        // The URL's first entry; or another process removed its last one, and the directory, at this moment.
        for _ in 0..<3 where errno == ENOENT {
            mkdir("\(root)/\(place.key.digest)", 0o700)
            if rename(temporary, target) == 0 { return true }
        }
        unlink(temporary)
        return false
    }

    /// Removes a file, and the directory of its URL where it was the last.
    package func remove(_ place: EntryPlace) {
        guard isHex(place.id, 32), isHex(place.key.digest, 64) else { return }
        unlink(path(place))
        rmdir("\(root)/\(place.key.digest)")
    }

    /// Notes that a file was used.
    package func touch(_ place: EntryPlace) { utimensat(AT_FDCWD, path(place), nil, 0) }

    /// Every entry's file.
    package func contents() -> [File] {
        names(in: root).filter { isHex($0, 64) }.flatMap { digest in
            let key = CacheKey(digest: digest)
            return ids(of: key).compactMap { file(EntryPlace(key: key, id: $0)) }
        }
    }

    /// Which of a URL's variants was not used for longest.
    package func leastRecent(_ ids: [String], of key: CacheKey) -> String? {
        ids.compactMap { file(EntryPlace(key: key, id: $0)) }.min { $0.modified < $1.modified }?.place.id
    }

    /// Removes what processes that died were writing.
    package func removeAbandoned() {
        for name in names(in: root) where name.hasPrefix("new-") {
            let path = "\(root)/\(name)"
            let file = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
            guard file >= 0 else { continue }
            if flock(file, LOCK_EX | LOCK_NB) == 0 { unlink(path) }
            close(file)
        }
    }

    private func file(_ place: EntryPlace) -> File? {
        var status = stat()
        guard lstat(path(place), &status) == 0 else { return nil }
        #if canImport(Darwin)
            let time = status.st_mtimespec
        #else
            let time = status.st_mtim
        #endif
        let modified = Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
        return File(place: place, bytes: Int(status.st_size), modified: modified)
    }

    private func path(_ place: EntryPlace) -> String { "\(root)/\(place.key.digest)/\(place.id)" }

    private func isDirectory(_ path: String) -> Bool {
        var status = stat()
        return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
    }

    /// Whether a name is one that this writes: nothing else is ever touched.
    private func isHex(_ name: String, _ count: Int) -> Bool {
        name.utf8.count == count && name.utf8.allSatisfy { (0x30...0x39).contains($0) || (0x61...0x66).contains($0) }
    }

    private func names(in directory: String) -> [String] {
        guard let stream = opendir(directory) else { return [] }
        defer { closedir(stream) }
        var names: [String] = []
        while let entry = readdir(stream) {
            names.append(
                withUnsafePointer(to: &entry.pointee.d_name) { name in
                    name.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
                })
        }
        return names
    }

    private func read(_ file: Int32, count: Int, at offset: Int = 0) -> Data? {
        var data = Data(count: count)
        let isComplete = data.withUnsafeMutableBytes { bytes in
            var done = 0
            while done < bytes.count {
                let got = pread(
                    file, bytes.baseAddress?.advanced(by: done), bytes.count - done, off_t(offset) + off_t(done))
                if got < 0 && errno == EINTR { continue }
                guard got > 0 else { return false }
                done += got
            }
            return true
        }
        return isComplete ? data : nil
    }

    private func write(_ file: Int32, _ data: Data) -> Bool {
        data.withUnsafeBytes { bytes in
            var done = 0
            while done < bytes.count {
                let count = pwrite(file, bytes.baseAddress?.advanced(by: done), bytes.count - done, off_t(done))
                if count < 0 && errno == EINTR { continue }
                guard count > 0 else { return false }
                done += count
            }
            return true
        }
    }
}
