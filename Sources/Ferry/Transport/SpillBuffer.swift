import Foundation

/// The bytes of a stream that its consumer has not taken yet: a bounded part in memory, the rest in a file.
///
///     taken <- [ memory, oldest first ] <- [ file, a ring of at most `overflow` bytes ] <- received
///
/// Once bytes wait in the file, later ones follow them there, so the order holds; when the file is drained, bytes stay
/// in memory again.
struct SpillBuffer {
    private let memoryLimit: Int
    private let overflow: Int64
    private var chunks: [Data] = []
    private var firstChunk = 0
    private(set) var memoryBytes = 0
    private var file: SpillFile?
    private var readOffset: Int64 = 0
    private var writeOffset: Int64 = 0

    /// Bytes read back from the file at a time: large enough to be cheap, small beside the bound.
    private static let readSize: Int64 = 64 << 10

    init(memoryLimit: Int, overflow: Int64) {
        self.memoryLimit = memoryLimit
        self.overflow = max(0, overflow)
    }

    /// Bytes that wait in the file.
    var fileBytes: Int64 { writeOffset - readOffset }

    var isEmpty: Bool { memoryBytes == 0 && fileBytes == 0 }

    /// Adds bytes behind all others.
    ///
    /// - Throws: `bodyTooLarge` beyond the overflow, `file` where the file cannot be written.
    mutating func append(_ data: Data) throws(NetworkError) {
        guard !data.isEmpty else { return }
        if fileBytes == 0, memoryBytes + data.count <= memoryLimit {
            chunks.append(data)
            memoryBytes += data.count
            return
        }
        guard fileBytes + Int64(data.count) <= overflow else {
            throw NetworkError(
                .bodyTooLarge,
                "The consumer of a response stream is more than \(overflow) bytes behind the server (Limits.streamOverflow)"
            )
        }
        let spill = try openFile()
        var rest = data
        while !rest.isEmpty {
            let position = writeOffset % overflow
            let part = rest.prefix(Int(min(Int64(rest.count), overflow - position)))
            try spill.write(part, at: position)
            writeOffset += Int64(part.count)
            rest = rest.dropFirst(part.count)
        }
    }

    /// Takes the oldest bytes, or nil where none wait.
    mutating func pop() throws(NetworkError) -> Data? {
        if firstChunk < chunks.count {
            let chunk = chunks[firstChunk]
            chunks[firstChunk] = Data()
            firstChunk += 1
            memoryBytes -= chunk.count
            if firstChunk == chunks.count {
                chunks.removeAll(keepingCapacity: true)
                firstChunk = 0
            } else if firstChunk > 64, firstChunk * 2 > chunks.count {
                chunks.removeFirst(firstChunk)
                firstChunk = 0
            }
            return chunk
        }
        guard fileBytes > 0, let file else { return nil }
        let position = readOffset % overflow
        let data = try file.read(Int(min(fileBytes, Self.readSize, overflow - position)), at: position)
        readOffset += Int64(data.count)
        if fileBytes == 0 {
            readOffset = 0
            writeOffset = 0
        }
        return data
    }

    /// Forgets everything and gives the file back.
    mutating func removeAll() { self = SpillBuffer(memoryLimit: memoryLimit, overflow: overflow) }

    private mutating func openFile() throws(NetworkError) -> SpillFile {
        if let file { return file }
        let created = try SpillFile()
        file = created
        return created
    }
}
