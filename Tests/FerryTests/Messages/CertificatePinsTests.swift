import Ferry
import Foundation
import XCTest

final class CertificatePinsTests: XCTestCase {
    private let pin = "sha256/d7+j4X1RqlW68D7zOezzyLh5LaXCJlAltn8kdWZk6G4="
    private let digest = "d7+j4X1RqlW68D7zOezzyLh5LaXCJlAltn8kdWZk6G4="

    func testPIN01_thePinIsOfTheSubjectPublicKeyInfo() throws {
        let row = try ConformanceCase.load("PIN-01", area: "pinning")
        let pem = try XCTUnwrap(row.input["certificate_pem"].string)
        let expected = try XCTUnwrap(row.expected["spki_sha256_base64"].string)
        XCTAssertEqual(try CertificatePins.pin(ofCertificate: Data(pem.utf8)), "sha256/" + expected)
        let der = try XCTUnwrap(
            Data(base64Encoded: pem.split(separator: "\n").filter { !$0.hasPrefix("-") }.joined()))
        XCTAssertEqual(try CertificatePins.pin(ofCertificate: der), "sha256/" + expected)
        for count in stride(from: 0, to: der.count, by: 7) {
            // Cut behind the key it may still be read; before it never.
            let pin = try? CertificatePins.pin(ofCertificate: der.prefix(count))
            XCTAssertTrue(pin == nil || pin == "sha256/" + expected, "\(count)")
        }
        for index in 0..<der.count {
            var broken = der
            broken[index] ^= 0xFF
            _ = try? CertificatePins.pin(ofCertificate: broken)
        }
    }

    /// One key in 64 has such a pin.
    func testPin_whoseBase64BeginsWithSlashes() throws {
        for start in [[0xFC], [0xFF, 0xFF], [0xFF, 0xFF, 0xFF]] as [[UInt8]] {
            let digest = Data(start + Array(repeating: 7, count: 32 - start.count)).base64EncodedString()
            XCTAssertTrue(digest.hasPrefix("/"))
            for prefix in ["", "sha256/", "sha256//"] {
                let pins: CertificatePins = ["a.test": [prefix + digest]]
                XCTAssertNoThrow(try pins.validate(), prefix + digest)
                XCTAssertEqual(pins.digests(for: "a.test"), [digest], prefix + digest)
            }
        }
    }

    func testPIN03_setsThatMakeNoSenseAreConfigurationErrors() throws {
        let row = try ConformanceCase.load("PIN-03", area: "pinning")
        let malformed = try XCTUnwrap(row.input["malformed"].string)
        let rows: [(CertificatePins, Bool)] = [
            ([:], true), (["a.test": [pin]], true), (["a.test": [digest]], true),
            (["a.test": ["sha256//" + digest]], true), (["a.test": []], false), (["a.test": [malformed]], false),
            (["a.test": [pin, malformed]], false), (["a.test": [""]], false), (["a.test": ["sha1/" + digest]], false),
            (["a.test": [String(pin.dropLast())]], false), (["a.test": [pin + "="]], false),
            (["a.test": ["sha256/" + Data(count: 20).base64EncodedString()]], false), (["": [pin]], false),
            (["*": [pin]], false), (["*.test": [pin]], false), (["*.a.test": [pin]], true),
            (["a.*.test": [pin]], false),
            (["*.0.0.1": [pin]], false), (["127.0.0.1": [pin]], true), (["[::1]:443": [pin]], true),
            (["a b": [pin]], false), (["https://a.test:8443/x": [pin]], true), (["https:a.test": [pin]], false),
            (["a.test:x": [pin]], false), (["[::1]x": [pin]], false), (["[::1": [pin]], true),
            (["[::g]": [pin]], false),
            (["a..test": [pin]], false), ([".a.test": [pin]], false), (["a.test..": [pin]], false),
            (["a%2etest": [pin]], false), ([String(repeating: "a", count: 64) + ".test": [pin]], false),
            (["müller.example": [pin]], true), (["*.müller.example": [pin]], true), (["a b.müller": [pin]], false),
            (["**.a.test": [pin]], false), (["*": [pin], "a.test": [pin]], false), (["*.[::1]": [pin]], false),
            (["a\0.test": [pin]], false), (["https://": [pin]], false), (["*.": [pin]], false),
        ]
        for (pins, isValid) in rows {
            if isValid {
                XCTAssertNoThrow(try pins.validate(), "\(pins)")
            } else {
                XCTAssertThrowsError(try pins.validate(), "\(pins)") {
                    XCTAssertEqual(($0 as? NetworkError)?.kind, .invalidRequest)
                }
            }
        }
    }

    func testHosts_table() {
        let pins: CertificatePins = [
            "api.example.com": [pin], "*.example.com": [pin, pin], "HTTPS://Other.test:8443/path": [pin],
            "[::1]": [pin], "[2001:DB8:0:0::1]:443": [pin], "Müller.Example.": [pin], "*.bücher.example": [pin, pin],
            "user@deep.test:1": [pin], "127.0.0.1": [pin], "*.0.1": [pin],
        ]
        let rows: [(host: String, count: Int?)] = [
            ("api.example.com", 1), ("API.Example.COM", 1), ("api.example.com.", 1), ("www.example.com", 2),
            ("example.com", nil), ("a.b.example.com", nil), ("other.test", 1), ("notother.test", nil), ("::1", 1),
            ("xexample.com", nil), ("2001:db8::1", 1), ("2001:0db8:0000::0001", 1), ("2001:db8::2", nil),
            ("xn--mller-kva.example", 1), ("XN--MLLER-KVA.example", 1), ("müller.example", 1),
            ("shop.xn--bcher-kva.example", 2), ("xn--bcher-kva.example", nil), ("deep.test", 1), ("127.0.0.1", 1),
            ("10.0.0.1", nil), ("example.com.api.test", nil), ("", nil), (".", nil), (".example.com", nil),
        ]
        for row in rows { XCTAssertEqual(pins.digests(for: row.host)?.count, row.count, row.host) }
    }

    func testCertificates_areReadFromPEMAndFiles() throws {
        let row = try ConformanceCase.load("PIN-01", area: "pinning")
        let pem = try XCTUnwrap(row.input["certificate_pem"].string)
        let expected = "sha256/" + (try XCTUnwrap(row.expected["spki_sha256_base64"].string))
        let directory = try temporaryDirectory()
        let old = pem.replacingOccurrences(of: "CERTIFICATE", with: "X509 CERTIFICATE")
        let windows = pem.replacingOccurrences(of: "\n", with: "\r\n")
        for text in [pem, "text\n" + pem + pem, old, "\u{FEFF}" + pem, windows] {
            XCTAssertEqual(try CertificatePins.pins(ofCertificates: Data(text.utf8)), [expected])
        }
        let file = try directory.write(Data(pem.utf8), "a.pem")
        XCTAssertEqual(try CertificatePins.pins(ofCertificatesAt: [file]), [expected])
        let key = "-----BEGIN PRIVATE KEY-----\nMC4CAQA=\n-----END PRIVATE KEY-----\n"
        for text in [
            "", "text", key, String(pem.dropLast(30)), pem.replacingOccurrences(of: "MII", with: "MIJ"),
            pem + "-----BEGIN CERTIFICATE-----\nMAA=\n-----END CERTIFICATE-----", "-----BEGIN CERTIFICATE-----",
            "-----BEGIN ", "-----BEGIN CERTIFICATE-----\n-----END CERTIFICATE-----",
        ] {
            XCTAssertThrowsError(try CertificatePins.pins(ofCertificates: Data(text.utf8)), text) {
                XCTAssertEqual(($0 as? NetworkError)?.kind, .invalidRequest)
            }
        }
        // A mistake that would leave a host without pins.
        XCTAssertThrowsError(
            try CertificatePins.pins(ofCertificatesAt: [directory.write(Data(key.utf8), "key.pem")])
        ) { XCTAssertTrue("\($0)".contains("key.pem"), "\($0)") }
        XCTAssertThrowsError(try CertificatePins.pins(ofCertificatesAt: [directory.appending(path: "none")])) {
            XCTAssertEqual(($0 as? NetworkError)?.kind, .file)
        }
        XCTAssertThrowsError(try CertificatePins.pin(ofPublicKey: Data(pem.utf8)))
    }

    func testLengths_thatAreNoDERAreRefused() {
        for text in [
            [0x30], [0x30, 0x80, 0x00, 0x00], [0x30, 0x84, 0xFF, 0xFF, 0xFF, 0xFF], [0x30, 0x88], [0x30, 0xFF],
            [0x30, 0x81, 0x02, 0x05, 0x00], [0x30, 0x82, 0x00, 0x80], [0x30, 0x02, 0x30, 0x82],
            Array(repeating: 0x30, count: 100_000),
        ] as [[UInt8]] {
            XCTAssertThrowsError(try CertificatePins.pin(ofCertificate: Data(text)))
            XCTAssertThrowsError(try CertificatePins.pin(ofPublicKey: Data(text)))
        }
    }

    func testJudgement_isOfTheValidatedChain() throws {
        let row = try ConformanceCase.load("PIN-01", area: "pinning")
        let known = Data(try XCTUnwrap(row.input["certificate_pem"].string).utf8)
        let other = Data("no certificate".utf8)
        let backup = "sha256/tHMl1+cEwa4uPR/nhJAs2to/7X9Xn88sI4ZSaE5BiPg="
        let rows: [(pins: [String], chain: [Data]?, enforced: String, reported: String)] = [
            ([pin], [known], "proceed", "proceed"), ([backup, pin], [known], "proceed", "proceed"),
            ([pin], [other, known], "proceed", "proceed"), ([backup], [known], "refuse", "report"),
            ([pin], [], "refuse", "report"), ([pin], [other], "refuse", "report"),
            // What the system does not trust is never used, and the system says why.
            ([pin], nil, "refuse", "proceed"),
        ]
        for row in rows {
            for mode in [CertificatePins.Mode.enforce, .report] {
                var pins: CertificatePins = ["A.test": row.pins]
                pins.mode = mode
                let name =
                    switch try XCTUnwrap(pins.check(for: "a.test.")).judge(chain: row.chain) {
                    case .proceed: "proceed"
                    case .report(let mismatch): mismatch.host == "a.test" ? "report" : mismatch.host
                    case .refuse(let error): error.kind == .tls ? "refuse" : "\(error)"
                    }
                XCTAssertEqual(name, mode == .enforce ? row.enforced : row.reported, "\(row)")
            }
        }
        XCTAssertNil(CertificatePins(dictionaryLiteral: ("a.test", [pin])).check(for: "b.test"))
    }
}
