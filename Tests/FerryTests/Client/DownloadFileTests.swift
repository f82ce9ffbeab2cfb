import FerryTesting
import Foundation
import XCTest

@testable import Ferry

/// The files that downloads make: their names, places, modes and digests.
final class DownloadFileTests: DownloadTestCase {
    func testConflicts() async throws {
        server.on(.get, "/file", .text("new"))
        try Data("old".utf8).write(to: target)
        let client = client()
        let error = await failure { () throws(NetworkError) in
            try await client.downloadFile(call, to: target, options: .init(onConflict: .fail))
        }
        XCTAssertEqual(error?.kind, .file)
        XCTAssertEqual(server.requestCount, 0, "known before anything is sent")
        XCTAssertEqual(try text(target), "old")
        let second = try await client.downloadFile(call, to: target, options: .init(onConflict: .rename))
        let third = try await client.downloadFile(call, to: target, options: .init(onConflict: .rename))
        XCTAssertEqual([second, third].map(\.url.lastPathComponent), ["file 2.bin", "file 3.bin"])
        XCTAssertEqual(try text(third.url), "new")
        XCTAssertEqual(try text(target), "old")
        _ = try await client.downloadFile(call, to: target)
        XCTAssertEqual(try text(target), "new")
        XCTAssertEqual(try names(), ["file 2.bin", "file 3.bin", "file.bin"])
    }

    func testConflict_thatComesMeanwhile_isSeenAtTheEnd() async throws {
        let (target, old) = (target, Data("old".utf8))
        server.on(.get, "/file") { _ in
            try old.write(to: target)
            return .text("new")
        }
        let client = client()
        let error = await failure { () throws(NetworkError) in
            try await client.downloadFile(call, to: target, options: .init(onConflict: .fail))
        }
        XCTAssertEqual(error?.kind, .file)
        XCTAssertEqual(try names(), ["file.bin"])
        XCTAssertEqual(try text(target), "old")
    }

    func testDirectory_takesTheNameOfTheResponse() async throws {
        server.on(.get, "/x/named", .text("a").header("Content-Disposition", "attachment; filename=\"../../n.txt\""))
        server.on(.get, "/x/r%C3%A9port.pdf", .text("b"))
        let client = client()
        let named = try await client.downloadFile(NetworkCall(.get, "/x/named"), to: folder)
        XCTAssertEqual(named.url.lastPathComponent, "n.txt")
        let plain = try await client.downloadFile(NetworkCall(.get, "/x/r%C3%A9port.pdf"), to: folder)
        XCTAssertEqual(plain.url.lastPathComponent, "réport.pdf")
        XCTAssertEqual(try names(), ["n.txt", "réport.pdf"])
        let taken = await failure { () throws(NetworkError) in
            try await client.downloadFile(
                NetworkCall(.get, "/x/named"), to: folder, options: .init(onConflict: .fail))
        }
        XCTAssertEqual(taken?.kind, .file)
    }

    func testTargets_thatCannotBe() async throws {
        server.on(.get, "/file", .text("x"))
        let client = client()
        let missing = folder.appending(path: "none/file")
        try Data().write(to: folder.appending(path: "plain"))
        let below: URL = folder.appending(path: "plain/file")
        for (place, kind) in [
            (missing, .file), (below, .file), (try URL.test("https://a.test/x"), .invalidRequest),
        ] as [(URL, NetworkError.Kind)] {
            let error = await failure { () throws(NetworkError) in try await client.downloadFile(call, to: place) }
            XCTAssertEqual(error?.kind, kind, "\(place)")
        }
        let ranged = await failure { () throws(NetworkError) in
            try await client.downloadFile(call.header("Range", "bytes=0-1"), to: target)
        }
        XCTAssertEqual(ranged?.kind, .invalidHeader)
        let sum = await failure { () throws(NetworkError) in
            try await client.downloadFile(call, to: target, options: .init(checksum: .sha256("abc")))
        }
        XCTAssertEqual(sum?.kind, .invalidRequest)
        XCTAssertEqual(server.requestCount, 0)
        _ = try await client.downloadFile(call, to: missing, options: .init(createsDirectories: true))
        XCTAssertEqual(try text(missing), "x")
    }

    func testPermissions_areThoseAskedFor() async throws {
        server.on(.get, "/file", .text("x"))
        let file = try await client().downloadFile(call, to: target, options: .init(permissions: 0o640))
        let attributes = try FileManager.default.attributesOfItem(atPath: file.url.path(percentEncoded: false))
        XCTAssertEqual((attributes[.posixPermissions] as? NSNumber)?.intValue, 0o640)
        for mode in [-1, 0o10000, Int.max] {
            let error = await failure { () throws(NetworkError) in
                try await client().downloadFile(call, to: target, options: .init(permissions: mode))
            }
            XCTAssertEqual(error?.kind, .invalidRequest, "\(mode)")
        }
        XCTAssertEqual(server.requestCount, 1)
    }

    func testChecksum_andPromisedDigests() async throws {
        let right = SHA256.digest("content".utf8)
        let base64 = Data(right).base64EncodedString()
        let wrong = Data(SHA256.digest("other".utf8)).base64EncodedString()
        let cases: [(HTTPHeaders, String?, Bool)] = [
            ([:], Hex.text(right).uppercased(), true), ([:], Hex.text(SHA256.digest("x".utf8)), false),
            (["Repr-Digest": "sha-256=:\(base64):"], nil, true), (["Repr-Digest": "sha-256=:\(wrong):"], nil, false),
            (["Content-Digest": "sha-256=:\(base64):"], nil, true),
            (["Content-Digest": "sha-256=:\(wrong):"], nil, false), (["Digest": "SHA-256=\(wrong)"], nil, false),
            (["Repr-Digest": "sha-512=:\(wrong):"], nil, true),
        ]
        let client = client()
        for (headers, checksum, isRight) in cases {
            server.on(.get, "/file", .text("content").headers(headers).header("ETag", "\"v1\""))
            let options = DownloadOptions(checksum: checksum.map { .sha256($0) })
            let result = await outcome { () throws(NetworkError) in
                try await client.downloadFile(call, to: target, options: options)
            }
            XCTAssertEqual(result.error?.kind, isRight ? nil : .checksum, "\(headers.fields.map(\.value))")
            XCTAssertEqual(try names(), isRight ? ["file.bin"] : [])
            try? FileManager.default.removeItem(at: target)
        }
    }

    func testContentDigest_ofAPart_coversThePart() async throws {
        let digest = Data(SHA256.digest("56789".utf8)).base64EncodedString()
        let wrong = Data(SHA256.digest("0123456789".utf8)).base64EncodedString()
        for (digest, kind) in [(digest, nil), (wrong, .checksum)] as [(String, NetworkError.Kind?)] {
            server.on(
                .get, "/file",
                .text("56789", status: .partialContent).header("Content-Range", "bytes 5-9/10")
                    .header("Content-Digest", "sha-256=:\(digest):"))
            let client = client()
            try leavePartial("01234", ["ETag": "\"v1\""], client: client)
            let result = await outcome { () throws(NetworkError) in try await client.downloadFile(call, to: target) }
            XCTAssertEqual(result.error?.kind, kind)
        }
    }
}
