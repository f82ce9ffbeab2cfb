#if os(Linux)
    import CFerryCurl
    import Ferry
    import Foundation

    /// A request in the form that libcurl takes: URL, method and field lines as C strings in one block of memory.
    ///
    /// Made on the caller's thread and not changed afterwards; libcurl reads the field lines where they stand, so the
    /// transfer keeps this until the handle is detached.
    /// The block is given back in `deinit`.
    final class WireRequest: @unchecked Sendable {  // Written in `init` alone; no lock is needed.
        let isHead: Bool
        let isSecure: Bool
        /// What to compare a new connection's certificate with, where that is only reported.
        let reporting: PinCheck?
        private let text: UnsafeMutablePointer<CChar>
        private let nodes: UnsafeMutablePointer<ferry_list>
        private let methodOffset: Int?
        private let pinsOffset: Int?
        private let fieldCount: Int

        /// - Parameters:
        ///   - request: A validated request.
        ///   - check: The pins of the host, or nil where it is not pinned.
        ///   - decodes: Whether codings of content are asked for where the request does not say.
        ///   - userAgent: Sent where the request names none.
        /// - Throws: `invalidURL` for a host that libcurl could read in another way than Foundation.
        init(_ request: HTTPRequest, check: PinCheck?, decodes: Bool, userAgent: String) throws(NetworkError) {
            guard let origin = Origin(request.url) else {
                throw NetworkError(.invalidURL, "The URL's host or port is malformed")
            }
            isHead = request.method == .head
            isSecure = origin.scheme == "https"
            var bytes: [UInt8] = []
            bytes.reserveCapacity(512)
            Self.appendURL(request.url, to: &bytes)
            bytes.append(0)
            if request.method == .get || isHead {
                methodOffset = nil
            } else {
                methodOffset = bytes.count
                bytes.append(contentsOf: request.method.rawValue.utf8)
                bytes.append(0)
            }
            reporting = check.flatMap { $0.mode == .report ? $0 : nil }
            if let check, check.mode == .enforce {
                pinsOffset = bytes.count
                bytes.append(contentsOf: check.digests.map { "sha256//" + $0 }.joined(separator: ";").utf8)
                bytes.append(0)
            } else {
                pinsOffset = nil
            }
            var offsets: [Int] = []
            Self.appendFields(request, decodes, userAgent, &bytes, &offsets)

            fieldCount = offsets.count
            text = .allocate(capacity: bytes.count)
            nodes = .allocate(capacity: max(1, offsets.count))
            bytes.withUnsafeBytes {
                UnsafeMutableRawBufferPointer(start: text, count: bytes.count).copyMemory(from: $0)
            }
            for (index, offset) in offsets.enumerated() {
                let next = index + 1 < offsets.count ? nodes + (index + 1) : nil
                (nodes + index).initialize(to: ferry_list(text: text + offset, next: next))
            }
        }

        deinit {
            nodes.deallocate()
            text.deallocate()
        }

        /// What libcurl is given, without the body.
        var prepared: ferry_request {
            var request = ferry_request()
            request.url = UnsafePointer(text)
            request.method = methodOffset.map { UnsafePointer(text + $0) }
            request.pins = pinsOffset.map { UnsafePointer(text + $0) }
            request.headers = fieldCount > 0 ? nodes : nil
            request.keeps_certificates = reporting != nil
            return request
        }

        // MARK: Writing

        /// The URL without userinfo, which libcurl would send as credentials, and without fragment.
        private static func appendURL(_ url: URL, to bytes: inout [UInt8]) {
            let all = Array(url.absoluteString.utf8)
            let end = all.firstIndex(of: UInt8(ascii: "#")) ?? all.endIndex
            guard let colon = all.firstIndex(of: UInt8(ascii: ":")), colon + 3 <= end else { return }
            let authority = colon + 3
            let isDelimiter: (UInt8) -> Bool = { $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "?") }
            let path = all[authority..<end].firstIndex(where: isDelimiter) ?? end
            let host = all[authority..<path].lastIndex(of: UInt8(ascii: "@")).map { $0 + 1 } ?? authority
            bytes += all[..<authority]
            bytes += all[host..<path]
            if path == end || all[path] == UInt8(ascii: "?") { bytes.append(UInt8(ascii: "/")) }
            bytes += all[path..<end]
        }

        private static func appendFields(
            _ request: HTTPRequest, _ decodes: Bool, _ userAgent: String, _ bytes: inout [UInt8], _ offsets: inout [Int]
        ) {
            func line(_ name: String, _ value: String) {
                offsets.append(bytes.count)
                bytes.append(contentsOf: name.utf8)
                // libcurl's spelling of a field without a value.
                bytes.append(value.isEmpty ? UInt8(ascii: ";") : UInt8(ascii: ":"))
                if !value.isEmpty {
                    bytes.append(UInt8(ascii: " "))
                    bytes.append(contentsOf: value.utf8)
                }
                bytes.append(0)
            }
            var hasCookie = false
            var isTyped = false
            var isCoded = false
            var hasAgent = false
            for field in request.headers {
                switch field.name.utf8.count {
                case 6 where FieldSyntax.equalIgnoringCase(field.name, "Cookie"):
                    // One line, joined as RFC 6265 §5.4 says.
                    if !hasCookie {
                        line(field.name, request.headers.values(of: "Cookie").joined(separator: "; "))
                        hasCookie = true
                    }
                    continue
                case 12: isTyped = isTyped || FieldSyntax.equalIgnoringCase(field.name, "Content-Type")
                case 15: isCoded = isCoded || FieldSyntax.equalIgnoringCase(field.name, "Accept-Encoding")
                case 10: hasAgent = hasAgent || FieldSyntax.equalIgnoringCase(field.name, "User-Agent")
                default: break
                }
                line(field.name, FieldSyntax.trimmed(field.value))
            }
            if !hasAgent, !userAgent.isEmpty { line("User-Agent", userAgent) }
            if decodes, !isCoded { line("Accept-Encoding", "gzip, deflate") }
            if request.body.isNone {
                // RFC 9110 §8.6: where the method gives content a meaning, its absence is told.
                if request.method == .post || request.method == .put || request.method == .patch {
                    line("Content-Length", "0")
                }
            } else {
                // What nobody named is bytes (RFC 9110 §8.3); libcurl would say that it is a form.
                if !isTyped { line("Content-Type", MediaType.octetStream.description) }
                // No wait for 100: a line without value and without ";" removes libcurl's own.
                offsets.append(bytes.count)
                bytes.append(contentsOf: "Expect:\0".utf8)
            }
        }
    }
#endif
