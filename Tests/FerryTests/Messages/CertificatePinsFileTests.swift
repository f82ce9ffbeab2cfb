import Ferry
import FerryTesting
import Foundation
import XCTest

/// Pins of certificates that openssl makes, compared with those that it computes itself. Skipped where there is no openssl.
final class CertificatePinsFileTests: XCTestCase {
    private static let kinds = [
        "rsa": "-algorithm RSA -pkeyopt rsa_keygen_bits:2048", "p256": "-algorithm EC -pkeyopt ec_paramgen_curve:P-256",
        "p384": "-algorithm EC -pkeyopt ec_paramgen_curve:P-384", "ed25519": "-algorithm ED25519",
    ]

    func testPins_areThoseOfOpenSSL() throws {
        let directory = try temporaryDirectory()
        for (name, options) in Self.kinds {
            let expected = try openssl(
                """
                openssl genpkey \(options) -out \(name).key
                openssl req -x509 -new -key \(name).key -subj '/C=DE/O=Ferry/CN=\(name).test' -days 30 -out \(name).pem \\
                    -addext 'subjectAltName=DNS:\(name).test,DNS:*.\(name).test'
                openssl x509 -in \(name).pem -outform der -out \(name).der
                openssl pkey -in \(name).key -pubout -out \(name).pub
                openssl x509 -in \(name).pem -pubkey -noout | openssl pkey -pubin -outform der \\
                    | openssl dgst -sha256 -binary | openssl enc -base64
                """, in: directory)
            let pin = "sha256/" + expected
            for file in ["\(name).pem", "\(name).der"] {
                XCTAssertEqual(
                    try CertificatePins.pins(ofCertificatesAt: [directory.appending(path: file)]), [pin], file)
            }
            let key = try Data(contentsOf: directory.appending(path: "\(name).pub"))
            XCTAssertEqual(try CertificatePins.pin(ofPublicKey: key), pin, name)
            try fuzz(Data(contentsOf: directory.appending(path: "\(name).der")), pin)
        }
        // Several in one file, with keys and text between them, and line ends of another system.
        let names = Self.kinds.keys.sorted()
        var chain = Data("subject=CN = ferry\r\n".utf8)
        for name in names {
            for part in ["key", "pem"] {
                let text = try String(contentsOf: directory.appending(path: "\(name).\(part)"), encoding: .utf8)
                chain += Data(text.replacingOccurrences(of: "\n", with: "\r\n").utf8)
            }
        }
        let file = try directory.write(chain, "chain.pem")
        let single = try names.flatMap {
            try CertificatePins.pins(ofCertificatesAt: [directory.appending(path: "\($0).der")])
        }
        XCTAssertEqual(try CertificatePins.pins(ofCertificatesAt: [file, file]), single)
        XCTAssertEqual(try CertificatePins.pin(ofCertificate: chain), single[0])
        var pins = CertificatePins()
        pins["ferry.test"] = single
        XCTAssertNoThrow(try pins.validate())
    }

    /// Whatever was changed, cut or put in between: a pin or an error, never a trap.
    private func fuzz(_ der: Data, _ pin: String) throws {
        XCTAssertEqual(try CertificatePins.pin(ofCertificate: der), pin)
        var random = SeededGenerator(seed: 10)
        for _ in 0..<3_000 {
            var bytes = Array(der)
            for _ in 0..<Int.random(in: 1...4, using: &random) {
                let place = Int.random(in: 0..<bytes.count, using: &random)
                switch Int.random(in: 0...4, using: &random) {
                case 0: bytes[place] = UInt8.random(in: 0...255, using: &random)
                case 1: bytes[place] = [0x80, 0x81, 0x82, 0x83, 0x84, 0x88, 0xFF].randomElement(using: &random) ?? 0
                case 2: bytes.removeSubrange(place...)
                case 3: bytes.insert(contentsOf: [0x30, 0x84, 0xFF, 0xFF, 0xFF, 0xFF], at: place)
                default: bytes.remove(at: place)
                }
                if bytes.isEmpty { bytes = [0x30] }
            }
            _ = try? CertificatePins.pins(ofCertificates: Data(bytes))
            _ = try? CertificatePins.pin(ofPublicKey: Data(bytes))
        }
    }

    private func openssl(_ script: String, in directory: URL) throws -> String {
        let paths = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
        guard paths.contains(where: { FileManager.default.isExecutableFile(atPath: "\($0)/openssl") }) else {
            throw XCTSkip("There is no openssl command: its pins are not compared here")
        }
        let output = directory.appending(path: "output")
        try Data().write(to: output)
        let process = Process()
        process.executableURL = URL(filePath: "/bin/sh")
        process.arguments = ["-ec", script]
        process.currentDirectoryURL = directory
        process.standardOutput = try FileHandle(forWritingTo: output)
        process.standardError = FileHandle.nullDevice
        try process.run()
        process.waitUntilExit()
        XCTAssertEqual(process.terminationStatus, 0, script)
        return try String(contentsOf: output, encoding: .utf8).trimmingCharacters(in: .whitespacesAndNewlines)
    }
}
