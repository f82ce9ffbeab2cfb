#if os(Linux)
    import Ferry
    public import Foundation

    extension CurlTransport {
        /// What can be chosen about the transport.
        public struct Settings: Sendable {
            /// Longest time for name look-up, connection and TLS handshake together. Default 30 s; nil: libcurl's 300 s. It
            /// runs on the system's clock; the client's own time-outs run besides.
            public var connectTimeout: Duration? = .seconds(30)
            /// Whether HTTP/2 is offered over TLS; many calls then share a connection. Default true.
            public var usesHTTP2 = true
            /// Most connections to one host at a time; further calls wait. Default 0: no limit of the transport's own, as the
            /// client's throttle has one.
            public var connectionsPerHost = 0
            /// Most connections that are kept open without a call; 0 closes each after its call. Default 64.
            public var idleConnections = 64
            /// Event loops, each with a thread, connections and caches of its own. Default 1, which serves tens of thousands of
            /// calls a second; more help where one thread is busy and cores are free.
            public var loops = 1
            /// Who is trusted, and who this client says it is.
            public var tls = TLS()
            /// Through which proxy requests go. Default: the environment's.
            public var proxy = Proxy.environment
            /// A Unix domain socket to which every request goes, whatever its host. Default nil.
            public var unixSocket: String?
            /// Addresses for names, asked for before any name server: `["api.example.com:443": ["127.0.0.1"]]`. Default none.
            public var resolve: [String: [String]] = [:]
            /// Sent as User-Agent where a request names none. Default: Ferry and the version of libcurl; empty: none.
            public var userAgent: String?

            /// Creates the default settings.
            public init() {}
        }

        /// Trust and identity.
        public struct TLS: Hashable, Sendable {
            /// Whose certificates are trusted. Default: those of the system.
            public var authorities = Authorities.system
            /// What this client shows a server that asks (mutual TLS). Default nil.
            public var clientCertificate: ClientCertificate?
            /// The oldest version that is spoken. Default TLS 1.2 (RFC 9325 §3.1).
            public var minimumVersion = Version.tls12

            /// Creates the default.
            public init() {}
        }

        /// A version of TLS.
        public enum Version: Hashable, Sendable, CaseIterable {
            /// TLS 1.2 (RFC 5246).
            case tls12
            /// TLS 1.3 (RFC 8446).
            case tls13
        }

        /// Whose certificates are trusted.
        public struct Authorities: Hashable, Sendable {
            enum Kind: Hashable, Sendable {
                case system
                case file(URL)
                case data(Data)
            }

            let kind: Kind

            /// The store of the system.
            public static let system = Authorities(kind: .system)

            /// The PEM certificates of a file, and no others.
            public static func file(_ url: URL) -> Authorities { Authorities(kind: .file(url)) }

            /// PEM certificates in memory, and no others. Needs libcurl 7.77.
            public static func pem(_ data: Data) -> Authorities { Authorities(kind: .data(data)) }
        }

        /// A certificate and its private key, in PEM.
        public struct ClientCertificate: Hashable, Sendable {
            enum Kind: Hashable, Sendable {
                case files(certificate: URL, key: URL)
                case data(certificate: Data, key: Data)
            }

            let kind: Kind
            let password: String?

            /// From files; the certificate's file may hold the chain.
            public static func files(certificate: URL, key: URL, password: String? = nil) -> ClientCertificate {
                ClientCertificate(kind: .files(certificate: certificate, key: key), password: password)
            }

            /// From memory. Needs libcurl 7.71.
            public static func pem(certificate: Data, key: Data, password: String? = nil) -> ClientCertificate {
                ClientCertificate(kind: .data(certificate: certificate, key: key), password: password)
            }
        }

        /// Through which proxy requests go.
        public struct Proxy: Hashable, Sendable {
            enum Kind: Hashable, Sendable {
                case environment
                case none
                case url(String, exceptions: [String])
            }

            let kind: Kind

            /// The proxy of `http_proxy`, `https_proxy` and `all_proxy`, but for the hosts of `no_proxy`.
            public static let environment = Proxy(kind: .environment)

            /// No proxy, whatever the environment says.
            public static let none = Proxy(kind: .none)

            /// A given proxy.
            ///
            /// - Parameters:
            ///   - url: `http://host:port`, `https://…` or `socks5h://…`; may hold credentials.
            ///   - exceptions: Hosts and domains that are reached directly, as in `no_proxy`. Default none.
            public static func url(_ url: String, exceptions: [String] = []) -> Proxy {
                Proxy(kind: .url(url, exceptions: exceptions))
            }
        }
    }

    extension CurlTransport.Settings {
        /// The entries that libcurl takes: `host:port:address,address`.
        ///
        /// - Throws: `invalidRequest` for one that libcurl would not understand.
        func resolveEntries() throws(NetworkError) -> [String] {
            var entries: [String] = []
            for (place, addresses) in resolve.sorted(by: { $0.key < $1.key }) {
                let parts = place.split(separator: ":", omittingEmptySubsequences: false)
                let isPlace =
                    parts.count == 2 && !parts[0].isEmpty && UInt16(parts[1]) != nil
                    && parts[0].utf8.allSatisfy { $0 > 0x20 && $0 != 0x2C && $0 != 0x7F }
                let isAddressed =
                    !addresses.isEmpty
                    && addresses.allSatisfy { address in
                        !address.isEmpty
                            && address.utf8.allSatisfy { byte in
                                (0x30...0x3A).contains(byte) || byte == 0x2E || (0x41...0x46).contains(byte)
                                    || (0x61...0x66).contains(byte)
                            }
                    }
                guard isPlace, isAddressed else {
                    throw NetworkError(
                        .invalidRequest,
                        "\(place.debugDescription) is no \"host:port\" with addresses that can be mapped")
                }
                let written = addresses.map { $0.utf8.contains(UInt8(ascii: ":")) ? "[\($0)]" : $0 }
                entries.append("\(place):\(written.joined(separator: ","))")
            }
            return entries
        }
    }

    extension CurlTransport.Authorities: CustomStringConvertible, CustomReflectable {
        /// Where the certificates come from.
        public var description: String {
            switch kind {
            case .system: "authorities of the system"
            case .file(let url): "authorities of \(url.lastPathComponent)"
            case .data: "authorities in memory"
            }
        }

        /// What the description shows.
        public var customMirror: Mirror { Mirror(self, children: ["authorities": description]) }
    }

    extension CurlTransport.ClientCertificate: CustomStringConvertible, CustomReflectable {
        /// Where the certificate comes from, never the key or its password.
        public var description: String {
            switch kind {
            case .files(let certificate, _): "client certificate of \(certificate.lastPathComponent)"
            case .data: "client certificate in memory"
            }
        }

        /// What the description shows.
        public var customMirror: Mirror { Mirror(self, children: ["certificate": description]) }
    }

    extension CurlTransport.Proxy: CustomStringConvertible, CustomReflectable {
        /// The kind of proxy: its URL may hold credentials.
        public var description: String {
            switch kind {
            case .environment: "proxy of the environment"
            case .none: "no proxy"
            case .url(let url, _): "proxy \(URL(string: url).flatMap { $0.host() } ?? "by URL")"
            }
        }

        /// What the description shows.
        public var customMirror: Mirror { Mirror(self, children: ["proxy": description]) }
    }
#endif
