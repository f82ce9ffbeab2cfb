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
            (["a b": [pin]], false), (["https://a.test:8443/x": [pin]], true),
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
            "[::1]": [pin],
        ]
        let rows: [(host: String, count: Int?)] = [
            ("api.example.com", 1), ("API.Example.COM", 1), ("api.example.com.", 1), ("www.example.com", 2),
            ("example.com", nil), ("a.b.example.com", nil), ("other.test", 1), ("notother.test", nil), ("::1", 1),
            ("xexample.com", nil),
        ]
        for row in rows { XCTAssertEqual(pins.digests(for: row.host)?.count, row.count, row.host) }
    }
}
