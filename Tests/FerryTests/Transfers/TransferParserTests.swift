import Foundation
import XCTest

@testable import Ferry

final class TransferParserTests: XCTestCase {
    func testDWN07_suggestedNames() throws {
        let row = try ConformanceCase.load("DWN-07", area: "download")
        let names = row.input["content_disposition"].strings.map {
            ContentDisposition($0).fileName.flatMap(SafeFileName.sanitized)
        }
        XCTAssertEqual(names, row.expected["names"].strings)
    }

    func testContentDisposition_grammar() {
        let cases: [(String, String, String?)] = [
            ("attachment", "attachment", nil), ("", "", nil), (" INLINE ; filename=a.txt", "inline", "a.txt"),
            ("attachment;filename = \"a b.txt\" ", "attachment", "a b.txt"),
            ("filename=a.txt", "", "a.txt"), ("attachment; filename=a b.txt; size=1", "attachment", "a b.txt"),
            ("attachment; filename=\"a", "attachment", "a"), ("attachment; filename=\"\"", "attachment", nil),
            ("attachment; x=\"; filename=evil\"; filename=good", "attachment", "good"),
            ("attachment; filename*=UTF-8''%e2%82%ac; filename=\"EUR\"", "attachment", "€"),
            ("attachment; filename*=utf-8'en'a%20b; filename=c", "attachment", "a b"),
            ("attachment; filename*=utf8''%C3%A9; filename=c", "attachment", "é"),
            ("attachment; filename*=\"utf-8' 'a.zip\"", "attachment", "a.zip"),
            ("attachment; filename*=UTF-8''; filename=c", "attachment", "c"),
            ("attachment; filename=\"c\"x; filename*=UTF-8''a", "attachment", "a"),
            ("attachment; x=\"a\\\"; filename=evil\"; filename=good", "attachment", "good"),
            // RFC 8187 §3.2.1: malformed or of an unknown charset, so the plain one counts.
            ("attachment; filename*=UTF-8''%e2%82; filename=c", "attachment", "c"),
            ("attachment; filename*=UTF-8''%zz; filename=c", "attachment", "c"),
            ("attachment; filename*=UTF-8'a; filename=c", "attachment", "c"),
            ("attachment; filename*=UTF-16''a; filename=c", "attachment", "c"),
            ("attachment; filename*=\"UTF-8''a%20b\"; filename=c", "attachment", "a b"),
            ("attachment; filename=first; filename=second", "attachment", "first"),
            ("attachment; ; filename=a;", "attachment", "a"),
        ]
        for (text, type, name) in cases {
            let parsed = ContentDisposition(text)
            XCTAssertEqual(parsed.type, type, text)
            XCTAssertEqual(parsed.fileName, name, text)
        }
    }

    func testSafeFileName_leavesOneHarmlessComponent() {
        let cases: [(String, String?)] = [
            ("../../etc/passwd", "passwd"), ("..\\..\\evil.exe", "evil.exe"), ("/", nil), ("..", nil), ("", nil),
            ("a/..", "a"), (".bashrc", "bashrc"), ("a\r\nb\u{0}.txt", "ab.txt"), ("  a.txt . ", "a.txt"),
            ("C:\\x\\a.txt", "a.txt"), ("photo\u{202E}gpj.exe", "photogpj.exe"), ("a\u{85}\u{2028}b", "ab"),
            ("naïve €.txt", "naïve €.txt"), ("a;b\"c.txt", "a;b\"c.txt"), ("\r\n/\r\n", nil), ("/\u{301}a", "\u{301}a"),
        ]
        for (name, safe) in cases { XCTAssertEqual(SafeFileName.sanitized(name), safe, name.debugDescription) }
        let long = SafeFileName.sanitized(String(repeating: "é", count: 300) + ".tar.gz")
        XCTAssertEqual(long?.hasSuffix("é.tar.gz"), true)
        XCTAssertLessThanOrEqual(long?.utf8.count ?? .max, SafeFileName.maxLength)
        XCTAssertEqual(SafeFileName.numbered("a.tar.gz", 2), "a 2.tar.gz")
        XCTAssertEqual(SafeFileName.numbered("noext", 3), "noext 3")
    }

    func testSafeFileName_ofResponses() throws {
        let url = try XCTUnwrap(URL(string: "https://a.test/x/r%C3%A9sum%C3%A9%2F..%2Fb.pdf?q=/z.exe"))
        XCTAssertEqual(SafeFileName.of(HTTPResponse.Head(status: .ok, url: url)), "b.pdf")
        let root = try XCTUnwrap(URL(string: "https://a.test/"))
        var head = HTTPResponse.Head(status: .ok, headers: ["Content-Type": "image/png"], url: root)
        XCTAssertEqual(SafeFileName.of(head), "download.png")
        head.headers["Content-Disposition"] = "attachment; filename=\"..\""
        XCTAssertEqual(SafeFileName.of(head), "download.png")
        head.headers["Content-Disposition"] = "inline"
        head.headers.append("content-disposition", "attachment; filename=a, b.txt")
        head.headers.append("Content-Disposition", "attachment; filename=c.txt")
        XCTAssertEqual(SafeFileName.of(head), "a, b.txt", "the first line that names one")
    }

    func testContentRange_grammar() {
        XCTAssertEqual(ContentRange("bytes 0-499/1234")?.range, 0...499)
        XCTAssertEqual(ContentRange("bytes 0-499/1234")?.total, 1234)
        XCTAssertEqual(ContentRange(" Bytes 5-5/* ")?.range, 5...5)
        XCTAssertNil(ContentRange("bytes 5-5/*")?.total)
        XCTAssertEqual(ContentRange("bytes */10")?.total, 10)
        for text in [
            "", "bytes", "bytes 0-1", "bytes 5-4/10", "bytes 0-10/10", "bytes */*", "items 0-1/2", "bytes -1-2/3",
            "bytes 0-1/2x", "bytes 0-99999999999999999999/*", "bytes=0-1/2", "bytes 0 - 1/2", "bytes 0-1/+2",
        ] {
            XCTAssertNil(ContentRange(text), text)
        }
    }

    /// FIPS 180-4 with the examples of NIST, and lengths around the block.
    func testSHA256_vectors() {
        let vectors = [
            ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
            ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
            (
                "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
                "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
            ),
            (
                "abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmnhijklmnoijklmnopjklmnopqklmnopqrlmnopqrsmnopqrs"
                    + "tnopqrstu", "cf5b16a778af8380036ce59e7b0492370b249b11e8f07a51afac45037afee9d1"
            ),
        ]
        for (text, digest) in vectors { XCTAssertEqual(Hex.text(SHA256.digest(text.utf8)), digest) }
        let million = SHA256.digest(repeatElement(UInt8(ascii: "a"), count: 1_000_000))
        XCTAssertEqual(Hex.text(million), "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0")
        for length in 0..<200 {
            let bytes = (0..<length).map { UInt8(truncatingIfNeeded: $0) }
            let whole = SHA256.digest(bytes)
            var hash = SHA256()
            var rest = bytes[...]
            var step = 1
            while !rest.isEmpty {
                Array(rest.prefix(step)).withUnsafeBytes { hash.update($0) }
                rest = rest.dropFirst(step)
                step = step % 71 + 7
            }
            XCTAssertEqual(hash.finish(), whole, "\(length)")
        }
    }

    func testDigestFields_grammar() {
        let bytes = SHA256.digest("abc".utf8)
        let text = Data(bytes).base64EncodedString()
        for field in [
            "sha-256=:\(text):", "sha-512=:YQ==:, sha-256=:\(text):", " sha-256=:\(text):;a=1 ,\tmd5=:YQ==:",
        ] {
            XCTAssertEqual(DigestFields.content(["Content-Digest": field]), bytes, field)
            XCTAssertEqual(DigestFields.representation(["Repr-Digest": field]), bytes, field)
        }
        XCTAssertEqual(DigestFields.representation(["Digest": "md5=YQ==, SHA-256=\(text)"]), bytes)
        for field in ["", "sha-256=\(text)", "sha-256=:YQ==:", "sha-256=:!:", "sha-512=:\(text):", "SHA-256=:\(text):"]
        {
            XCTAssertNil(DigestFields.content(["Content-Digest": field]), field)
        }
    }

    func testHex_bothWays() {
        XCTAssertEqual(Hex.text([0, 255, 16]), "00ff10")
        XCTAssertEqual(Hex.bytes("00Ff10"), [0, 255, 16])
        for text in ["0", "0g", "é"] { XCTAssertNil(Hex.bytes(text), text) }
    }

    func testValidator_isStrongOnly() {
        let now = Date(timeIntervalSince1970: 1_700_000_000)
        let date = HTTPDate.format(now)
        let second = HTTPDate.format(now - 1)
        let cases: [(HTTPHeaders, String?)] = [
            (["ETag": "\"v1\""], "\"v1\""), (["ETag": " \"\" "], "\"\""), (["ETag": "W/\"v1\""], nil),
            (["ETag": "v1"], nil), (["ETag": "\"a\"b\""], nil), (["ETag": "\"a b\""], nil), (["ETag": "\""], nil),
            (["Last-Modified": second, "Date": date], second),
            // §8.8.2.2: in the second of the answer it may change again unseen.
            (["Last-Modified": date, "Date": date], nil), (["Last-Modified": second], nil),
            // §13.1.5: a date only where there is no tag.
            (["ETag": "W/\"v1\"", "Last-Modified": second, "Date": date], nil),
            (["Last-Modified": "yesterday", "Date": date], nil), ([:], nil),
        ]
        for (headers, validator) in cases {
            XCTAssertEqual(DownloadRecord.validator(of: headers, now: now), validator, "\(headers.fields.map(\.value))")
        }
    }

    func testCollectedData_collectsCutsAndSaves() async throws {
        let folder = try temporaryDirectory()
        let url = try URL.test()
        let head = HTTPResponse.Head(
            status: .ok, headers: ["Content-Type": "image/png", "Content-Length": "6"], url: url)
        var content = CollectedData(head)
        XCTAssertEqual(content.isComplete, false)
        try await content.append(contentsOf: ByteStream([Data("abc".utf8), Data("def".utf8)]))
        XCTAssertEqual(content.progress, TransferProgress(completed: 6, total: 6))
        XCTAssertEqual(content.isComplete, true)
        XCTAssertEqual(content.subdata(in: 2..<4), Data("cd".utf8))
        XCTAssertEqual(content.subdata(in: 4..<90), Data("ef".utf8))
        XCTAssertEqual(content.subdata(in: 7..<9), Data())
        let file = try content.save(in: folder, named: "../picture")
        XCTAssertEqual(file.lastPathComponent, "picture.png")
        XCTAssertEqual(try Data(contentsOf: file), Data("abcdef".utf8))
        let kept = content
        let taken = await failure { () throws(NetworkError) in
            try kept.save(in: folder, named: "picture.png", replacing: false)
        }
        XCTAssertEqual(taken?.kind, .file)
        let empty = await failure { () throws(NetworkError) in try kept.save(in: folder, named: "..") }
        XCTAssertEqual(empty?.kind, .invalidRequest)
    }
}
