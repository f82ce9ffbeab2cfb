#if os(Linux)
    import Ferry
    import FerryTesting
    import Foundation
    import XCTest

    @testable import FerryCurl

    final class ContentDecoderTests: XCTestCase {
        override func setUpWithError() throws { _ = try CurlLibrary.open() }

        /// Decodes in pieces of a size, stopping after each delivery where `stops`.
        private func decode(_ coded: Data, coding: String = "gzip", size: Int, stops: Bool = false) throws -> (
            Data, Bool
        ) {
            let decoder = try XCTUnwrap(try ContentDecoder.make(for: ["Content-Encoding": coding]))
            var decoded = Data()
            let deliver: (UnsafeRawBufferPointer) -> Bool = {
                decoded.append(contentsOf: $0)
                return !stops
            }
            for start in stride(from: 0, to: coded.count, by: size) {
                try coded[start..<min(coded.count, start + size)].withUnsafeBytes {
                    try decoder.decode($0, deliver: deliver)
                }
                while decoder.hasWaiting {
                    try decoder.decode(UnsafeRawBufferPointer(start: nil, count: 0), deliver: deliver)
                }
            }
            return (decoded, decoder.isWhole(isFramed: true))
        }

        func testGzip_inPiecesAndMembers() throws {
            let content = Data((0..<300_000).map { UInt8(truncatingIfNeeded: $0 &* 7 &+ $0 >> 9) })
            let gzip = Gzip.stored(content)
            for size in [1000, 65_536, .max >> 1] {
                for stops in [false, true] {
                    let (decoded, isWhole) = try decode(gzip, size: size, stops: stops)
                    XCTAssertEqual(decoded, content)
                    XCTAssertTrue(isWhole)
                    let (twice, isBoth) = try decode(gzip + gzip, size: size, stops: stops)
                    XCTAssertEqual(twice.count, 2 * content.count, "two members, RFC 1952 §2.2")
                    XCTAssertTrue(isBoth)
                }
            }
        }

        func testGzip_cutAnywhereIsNotWhole() throws {
            let gzip = Gzip.stored(Data("hello".utf8))
            for count in 1..<gzip.count {
                let (_, isWhole) = try decode(gzip.prefix(count), size: 3)
                XCTAssertFalse(isWhole, "\(count) of \(gzip.count)")
            }
        }

        func testDeflate_isZlibOrRaw() throws {
            // "hi" as RFC 1950 and as RFC 1951 by its fixed codes.
            let raw = Data([0xCB, 0xC8, 0x04, 0x00])
            let zlib = Data([0x78, 0x9C]) + raw + Data([0x01, 0x3B, 0x00, 0xD2])
            for coded in [raw, zlib] {
                // Also byte by byte: the first one does not tell them apart.
                for size in [1, 2, 100] {
                    let (decoded, isWhole) = try decode(coded, coding: "deflate", size: size)
                    XCTAssertEqual(decoded, Data("hi".utf8))
                    XCTAssertTrue(isWhole)
                }
                let (_, isWhole) = try decode(coded.prefix(1), coding: "deflate", size: 1)
                XCTAssertFalse(isWhole)
            }
        }

        func testCodings() throws {
            for coding in ["identity", "", " , "] {
                XCTAssertNil(try ContentDecoder.make(for: ["Content-Encoding": coding]), coding)
            }
            XCTAssertNotNil(try ContentDecoder.make(for: ["content-encoding": " X-GZIP "]))
            for coding in ["br", "gzip, gzip", "x-unknown"] {
                XCTAssertThrowsError(try ContentDecoder.make(for: ["Content-Encoding": coding]), coding)
            }
            let empty = try XCTUnwrap(try ContentDecoder.make(for: ["Content-Encoding": "gzip"]))
            XCTAssertTrue(empty.isWhole(isFramed: true))
            XCTAssertFalse(empty.isWhole(isFramed: false))
        }
    }
#endif
