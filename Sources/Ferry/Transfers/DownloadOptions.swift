/// How a download writes its file.
///
/// ```swift
/// let file = try await client.downloadFile(call, to: folder, options: .init(onConflict: .rename))
/// ```
public struct DownloadOptions: Hashable, Sendable {
    /// What happens where the destination exists.
    public enum Conflict: Hashable, Sendable {
        /// The new file takes its place, in one step, at the end.
        case replace
        /// The download fails with kind `file`, before anything is transferred where the name is known by then.
        case fail
        /// The new file gets a number before its extension: `report 2.pdf`.
        case rename
    }

    /// What the content must hash to.
    public struct Checksum: Hashable, Sendable {
        /// The digest in hexadecimal digits, in any case.
        public let sha256: String

        /// A SHA-256 digest.
        ///
        /// - Parameter digits: 64 hexadecimal digits; anything else makes the download fail with `invalidRequest` before
        ///   it begins.
        public static func sha256(_ digits: String) -> Checksum { Checksum(sha256: digits) }

        func bytes() throws(NetworkError) -> [UInt8] {
            guard let bytes = Hex.bytes(sha256), bytes.count == 32 else {
                throw NetworkError(.invalidRequest, "The checksum of a download is not 64 hexadecimal digits")
            }
            return bytes
        }
    }

    /// What happens where the destination exists. Default `.replace`.
    public var onConflict: Conflict
    /// What the content must hash to. Default nil: only what the server itself promises is checked.
    public var checksum: Checksum?
    /// Whether a partial file is kept when the download is cut, and gone on with the next time. Default true.
    public var resumes: Bool
    /// The mode of the file, such as `0o600`. Default nil: as the process creates files.
    public var permissions: Int?
    /// Whether missing directories of the destination are created. Default false.
    public var createsDirectories: Bool
    /// Shortest time between two reports of progress; the first and the last always come. Default 100 ms.
    public var progressInterval: Duration

    /// Most bytes of the file, counted after decompression; more is an error of kind `bodyTooLarge`, and nothing is left.
    /// Default nil: as many as the disk takes.
    public var maxBytes: Int64?

    /// Creates the options.
    public init(
        onConflict: Conflict = .replace, checksum: Checksum? = nil, resumes: Bool = true, permissions: Int? = nil,
        createsDirectories: Bool = false, progressInterval: Duration = .milliseconds(100),
        maxBytes: Int64? = nil
    ) {
        self.onConflict = onConflict
        self.checksum = checksum
        self.resumes = resumes
        self.permissions = permissions
        self.createsDirectories = createsDirectories
        self.progressInterval = progressInterval
        self.maxBytes = maxBytes
    }
}

extension NetworkError.Kind {
    /// The content does not have the digest that was asked for or promised.
    public static let checksum = Self(rawValue: "checksum")
}
