#if canImport(UniformTypeIdentifiers)
    import UniformTypeIdentifiers

    /// What the system knows of types that the table does not have, such as those that installed apps declare.
    ///
    /// Types that the system makes up for what it does not know are not given.
    enum SystemMediaTypes {
        static func mediaType(fileExtension: String) -> String? {
            UTType(filenameExtension: fileExtension).flatMap { $0.isDynamic ? nil : $0.preferredMIMEType }
        }

        static func mediaType(uti: String) -> String? { UTType(uti)?.preferredMIMEType }

        static func fileExtension(mediaType: String) -> String? {
            UTType(mimeType: mediaType).flatMap { $0.isDynamic ? nil : $0.preferredFilenameExtension }
        }

        static func uti(mediaType: String) -> String? {
            UTType(mimeType: mediaType).flatMap { $0.isDynamic ? nil : $0.identifier }
        }
    }
#else
    /// Without uniform type identifiers in the system, the table is all there is.
    enum SystemMediaTypes {
        static func mediaType(fileExtension: String) -> String? { nil }
        static func mediaType(uti: String) -> String? { nil }
        static func fileExtension(mediaType: String) -> String? { nil }
        static func uti(mediaType: String) -> String? { nil }
    }
#endif
