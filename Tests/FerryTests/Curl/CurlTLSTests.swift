#if os(Linux)
    import Ferry
    import FerryCurl
    import Foundation
    import XCTest

    /// Trust, pins and identity on a real server; skipped where there is no nginx.
    final class CurlTLSTests: XCTestCase {
        private var server: NginxServer!

        override func setUpWithError() throws { server = try NginxServer(in: temporaryDirectory()) }

        override func tearDown() { server?.stop() }

        private func client(
            _ socket: String, host: String = "pin.example.test", pins: CertificatePins = [:],
            _ change: (inout CurlTransport.Settings) -> Void = { _ in }
        ) throws -> NetworkClient {
            var settings = CurlTransport.Settings()
            settings.unixSocket = server.socket(socket)
            settings.tls.authorities = .file(server.file("authority.pem"))
            change(&settings)
            let transport = try CurlTransport(settings)
            return NetworkClient(baseURL: try XCTUnwrap(URL(string: "https://\(host)"))) {
                $0.transport = transport
                $0.pins = pins
                $0.throttle = .none
            }
        }

        private func pin(_ name: String) throws -> String {
            try CertificatePins.pin(ofCertificate: Data(contentsOf: server.file("\(name).pem")))
        }

        private func kind(_ client: NetworkClient) async -> NetworkError.Kind? {
            await failure { () throws(NetworkError) in try await client.string(NetworkCall(.get, "/")) }?.kind
        }

        func testAuthorities() async throws {
            let own = try await client("good").string(NetworkCall(.get, "/"))
            XCTAssertTrue(own.hasPrefix("HTTP/2.0 "), own)
            let data = try Data(contentsOf: server.file("authority.pem"))
            let inMemory = try await client("good") { $0.tls.authorities = .pem(data) }.string(NetworkCall(.get, "/"))
            XCTAssertTrue(inMemory.hasPrefix("HTTP/2.0 "), inMemory)
            let system = await kind(try client("good") { $0.tls.authorities = .system })
            XCTAssertEqual(system, .tls, "an authority that the system does not know")
            let stranger = server.file("stranger.pem")
            let other = await kind(try client("good") { $0.tls.authorities = .file(stranger) })
            XCTAssertEqual(other, .tls, "an authority that did not sign")
        }

        func testNamesAndDates() async throws {
            let named = try await client("good", host: "api.example.test").string(NetworkCall(.get, "/"))
            XCTAssertTrue(named.hasPrefix("HTTP/2.0 "))
            let wrong = await kind(try client("good", host: "pin.example.org"))
            XCTAssertEqual(wrong, .tls, "a certificate for another host")
            let expired = await kind(try client("expired"))
            XCTAssertEqual(expired, .tls)
        }

        func testPIN03_anyPinSufficesAndNoneIsAnError() async throws {
            let row = try ConformanceCase.load("PIN-03", area: "pinning")
            XCTAssertEqual(
                row.expected["results"], .array([.string("accept"), .string("reject"), .string("configuration error")]))
            let host = "pin.example.test"
            let right = try pin("good")
            let wrong = try pin("stranger")
            for pins: CertificatePins in [
                [host: [right]], [host: [wrong, right]], ["https://Pin.Example.test:443/": [right]],
                ["*.example.test": [right]], [host: [right], "*.example.test": [wrong]], ["other.test": [wrong]],
            ] {
                let text = try await client("good", pins: pins).string(NetworkCall(.get, "/"))
                XCTAssertTrue(text.hasPrefix("HTTP/2.0 "), "\(pins)")
            }
            for pins: CertificatePins in [
                [host: [wrong]], ["*.example.test": [wrong]], [host: [wrong], "*.example.test": [right]],
            ] {
                let kind = await kind(try client("good", pins: pins))
                XCTAssertEqual(kind, .tls, "\(pins)")
            }
            for pins: CertificatePins in [[host: []], [host: ["sha256/not-base64!"]]] {
                let kind = await kind(try client("good", pins: pins))
                XCTAssertEqual(kind, .invalidRequest, "\(pins)")
            }
            // The server changed its key; the backup pin is there for that.
            let changed = try await client("backup", pins: [host: [right, try pin("backup")]]).string(
                NetworkCall(.get, "/"))
            XCTAssertTrue(changed.hasPrefix("HTTP/2.0 "))
            let unprepared = await kind(try client("backup", pins: [host: [right]]))
            XCTAssertEqual(unprepared, .tls)
        }

        func testPins_thatOnlyReportRefuseNothing() async throws {
            let host = "pin.example.test"
            let right = try pin("good")
            let wrong = try pin("stranger")
            for (pins, isMismatch) in [([wrong], true), ([right], false), ([wrong, right], false)] {
                var reporting: CertificatePins = [host: pins]
                reporting.mode = .report
                let client = try client("good", pins: reporting)
                let events = client.allEvents()
                for _ in 0..<2 {
                    let text = try await client.string(NetworkCall(.get, "/"))
                    XCTAssertTrue(text.hasPrefix("HTTP/2.0 "))
                }
                await client.shutdown()
                var found: [PinMismatch] = []
                for await event in events {
                    if case .pinMismatch(let mismatch) = event.event { found.append(mismatch) }
                }
                // Once: both calls use one connection.
                XCTAssertEqual(found, isMismatch ? [PinMismatch(host: host, found: [right])] : [])
            }
            // What the system does not trust is refused all the same, and pins that make no sense too.
            var reporting: CertificatePins = [host: [wrong]]
            reporting.mode = .report
            let expired = await kind(try client("expired", pins: reporting))
            XCTAssertEqual(expired, .tls)
            reporting[host] = []
            let empty = await kind(try client("good", pins: reporting))
            XCTAssertEqual(empty, .invalidRequest)
        }

        func testPins_ofFilesComeBesidesTheSystemsChecks() async throws {
            let files = ["backup.pem", "good.pem"].map { server.file($0) }
            let pins = try CertificatePins.pins(ofCertificatesAt: files)
            XCTAssertEqual(pins, [try pin("backup"), try pin("good")])
            let text = try await client("good", pins: ["PIN.example.test.": pins]).string(NetworkCall(.get, "/"))
            XCTAssertTrue(text.hasPrefix("HTTP/2.0 "))
            // The pin counts besides the system's checks: the right key does not excuse dates and names.
            let expired = await kind(try client("expired", pins: ["pin.example.test": [try pin("expired")]]))
            XCTAssertEqual(expired, .tls)
            let foreign = await kind(
                try client("good", host: "pin.example.org", pins: ["pin.example.org": [try pin("good")]]))
            XCTAssertEqual(foreign, .tls)
            // An authority's key is not the server's own.
            let authority = await kind(try client("good", pins: ["pin.example.test": [try pin("authority")]]))
            XCTAssertEqual(authority, .tls)
        }

        /// A connection that was made without a pin is not used under one.
        func testPins_holdForConnectionsThatExist() async throws {
            var settings = CurlTransport.Settings()
            settings.unixSocket = server.socket("good")
            settings.tls.authorities = .file(server.file("authority.pem"))
            let transport = try CurlTransport(settings)
            defer { transport.shutdown() }
            let base = try XCTUnwrap(URL(string: "https://pin.example.test"))
            let open = NetworkClient(baseURL: base) { $0.transport = transport }
            let wrong = try pin("stranger")
            let pinned = NetworkClient(baseURL: base) {
                $0.transport = transport
                $0.pins = ["pin.example.test": [wrong]]
            }
            _ = try await open.string(NetworkCall(.get, "/"))
            let kind = await kind(pinned)
            XCTAssertEqual(kind, .tls)
        }

        func testClientCertificates() async throws {
            let certificate = server.file("client.pem")
            let key = server.file("client.key")
            let anonymous = try client("mutual")
            let none = await failure { () throws(NetworkError) in
                try await anonymous.string(NetworkCall(.get, "/"))
            }
            // nginx answers 400 by itself where the certificate is missing.
            XCTAssertEqual(none?.status, 400, "\(none as Any)")
            let shown = try await client("mutual") {
                $0.tls.clientCertificate = .files(certificate: certificate, key: key)
            }.string(NetworkCall(.get, "/"))
            XCTAssertTrue(shown.hasSuffix("CN=client"), shown)
            let pem = (try Data(contentsOf: certificate), try Data(contentsOf: key))
            let inMemory = try await client("mutual") {
                $0.tls.clientCertificate = .pem(certificate: pem.0, key: pem.1)
            }.string(NetworkCall(.get, "/"))
            XCTAssertTrue(inMemory.hasSuffix("CN=client"), inMemory)
        }

        func testMinimumVersion() async throws {
            let old = try await client("old").string(NetworkCall(.get, "/"))
            XCTAssertTrue(old.hasPrefix("HTTP/2.0 "))
            let refused = await kind(try client("old") { $0.tls.minimumVersion = .tls13 })
            XCTAssertEqual(refused, .tls)
        }

        func testHTTP2_sharesConnections() async throws {
            let client = try client("good")
            let answers = try await withThrowingTaskGroup(of: String.self) { group in
                for _ in 0..<100 { group.addTask { try await client.string(NetworkCall(.get, "/")) } }
                var answers: [String] = []
                for try await answer in group { answers.append(answer) }
                return answers
            }
            XCTAssertEqual(answers.count, 100)
            XCTAssertTrue(answers.allSatisfy { $0.hasPrefix("HTTP/2.0 ") })
            let connections = Set(answers.compactMap { $0.split(separator: " ").dropFirst().first })
            XCTAssertLessThanOrEqual(connections.count, 3)
            let alone = try await self.client("good") { $0.usesHTTP2 = false }.string(NetworkCall(.get, "/"))
            XCTAssertTrue(alone.hasPrefix("HTTP/1.1 "))
        }
    }
#endif
