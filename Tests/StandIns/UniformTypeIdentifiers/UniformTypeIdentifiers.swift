// Stands in for Apple's `UniformTypeIdentifiers` where there is none: as much of `UTType` as SystemMediaTypes.swift uses,
// without effect.
// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

public struct UTType: Sendable {
    public init?(_ identifier: String) { nil }
    public init?(filenameExtension: String) { nil }
    public init?(mimeType: String) { nil }

    public var identifier: String { "" }
    public var isDynamic: Bool { false }
    public var preferredMIMEType: String? { nil }
    public var preferredFilenameExtension: String? { nil }
}
