#if canImport(os)
    internal import os

    extension LogSink {
        /// Writes each entry to the unified log of Apple platforms. Entries hold no secrets, so they are public there.
        ///
        /// - Parameters:
        ///   - subsystem: Usually the app's bundle identifier.
        ///   - category: Default `network`.
        public static func osLog(subsystem: String, category: String = "network") -> LogSink {
            let logger = Logger(subsystem: subsystem, category: category)
            return LogSink { entry in
                let text = entry.description
                switch entry.level {
                case .trace: logger.trace("\(text, privacy: .public)")
                case .debug: logger.debug("\(text, privacy: .public)")
                case .info: logger.info("\(text, privacy: .public)")
                case .warning: logger.warning("\(text, privacy: .public)")
                case .error: logger.error("\(text, privacy: .public)")
                }
            }
        }
    }
#endif
