import Foundation
import XCTest

@testable import Ferry

final class MediaTypeFilesTests: XCTestCase {
    func testMIME04_typeByExtension_elseOctetStream() throws {
        let row = try ConformanceCase.load("MIME-04", area: "mime")
        let names = row.input["files"].strings
        XCTAssertEqual(names.map { MediaType.ofFile(named: $0).description }, row.expected["types"].strings)
    }

    func testMediaType_ofExtension_inAnyCase_withOrWithoutDot() {
        for (name, type) in [
            ("json", "application/json"), ("JSON", "application/json"), (".Jpg", "image/jpeg"), ("jpeg", "image/jpeg"),
            ("mjs", "text/javascript"), ("jsonl", "application/x-ndjson"), ("ndjson", "application/x-ndjson"),
            ("webp", "image/webp"), ("avif", "image/avif"), ("heic", "image/heic"), ("heif", "image/heif"),
            ("wasm", "application/wasm"), ("woff2", "font/woff2"), ("json5", "application/json5"),
            ("opus", "audio/opus"), ("flac", "audio/flac"), ("webm", "video/webm"), ("zst", "application/zstd"),
            ("br", "application/x-brotli"), ("7z", "application/x-7z-compressed"), ("epub", "application/epub+zip"),
            ("md", "text/markdown"), ("yml", "application/yaml"), ("toml", "application/toml"),
            ("parquet", "application/vnd.apache.parquet"), ("xml", "application/xml"), ("ts", "video/mp2t"),
        ] {
            XCTAssertEqual(MediaType(fileExtension: name)?.description, type, name)
        }
        for name in ["", ".", "..json", "unknown", "a/b", "json ", "jsön"] {
            XCTAssertNil(MediaType(fileExtension: name), name)
        }
    }

    func testMediaType_ofNames() throws {
        for (name, type) in [
            ("a.JPG", "image/jpeg"), ("c.tar.gz", "application/gzip"), ("/x.zip/b.PnG", "image/png"),
            ("é.html", "text/html"), ("...json", "application/json"),
        ] {
            XCTAssertEqual(name.mediaType?.description, type, name)
        }
        for name in ["", "noext", ".hidden", ".json", "a.", "x.json/", "x.json/a", "json", "a.unknown"] {
            XCTAssertNil(name.mediaType, name)
        }
        let url = try XCTUnwrap(URL(string: "https://a.test/x/b.PDF?c.png#d.gif"))
        XCTAssertEqual(url.mediaType?.essence, "application/pdf")
        XCTAssertNil(try XCTUnwrap(URL(string: "https://a.test")).mediaType)
    }

    func testPreferredExtension_ignoresCaseAndParameters() {
        for (type, name) in [
            ("image/jpeg", "jpg"), ("IMAGE/JPEG", "jpg"), ("application/json; charset=utf-8", "json"),
            ("text/html;charset=x", "html"), ("application/x-gzip", "gz"), ("image/jpg", "jpg"), ("text/plain", "txt"),
            ("application/jsonl", "jsonl"), ("video/quicktime", "mov"), ("application/octet-stream", "bin"),
        ] {
            XCTAssertEqual(MediaType(type)?.preferredExtension, name, type)
        }
        XCTAssertNil(MediaType("application/x-unknown")?.preferredExtension)
        XCTAssertEqual(MediaType("application/x-unknown")?.fileExtensions, [])
        XCTAssertEqual(MediaType("image/tiff")?.fileExtensions, ["tiff", "tif"])
    }

    func testUTI_bothWays() {
        XCTAssertEqual(MediaType("image/jpeg; q=1")?.uti, "public.jpeg")
        XCTAssertEqual(MediaType("application/pdf")?.uti, "com.adobe.pdf")
        XCTAssertEqual(MediaType(uti: "public.JSON"), .json)
        XCTAssertEqual(MediaType(uti: "public.mpeg-4")?.description, "video/mp4")
        XCTAssertNil(MediaType(uti: "org.example.unknown"))
        XCTAssertNil(MediaType("application/toml")?.uti)
    }

    func testTable_isWellFormed() throws {
        let rows = MediaTypeTable.rows
        XCTAssertGreaterThanOrEqual(MediaTypeTable.rowsByExtension.count, 200)
        XCTAssertEqual(Set(rows.map(\.type)).count, rows.count, "a media type has two rows")
        for row in rows {
            let type = try XCTUnwrap(MediaType(row.type), row.type)
            XCTAssertEqual(type.description, row.type, "lower case and no parameters")
            XCTAssertFalse(row.extensions.isEmpty, row.type)
            for name in row.extensions {
                XCTAssertEqual(name, name.lowercased())
                XCTAssertNotNil(MediaType(fileExtension: name), name)
            }
        }
        for type in Set(MediaTypeTable.rowsByExtension.values.map(\.type)) {
            // What an extension leads to leads back to an extension that leads there again.
            let preferred = try XCTUnwrap(MediaType(type)?.preferredExtension, type)
            XCTAssertEqual(MediaType(fileExtension: preferred)?.essence, type)
        }
    }

    /// Each extension that the tables of older Apple SDKs and of common web servers have.
    func testTable_hasTheClassicExtensions() {
        let classic = """
            html htm shtml css xml gif jpg jpeg js atom rss mml txt jad wml htc png tif tiff wbmp ico jng bmp svg svgz
            webp woff jar war ear json hqx doc pdf ps eps ai rtf m3u8 xls eot ppt wmlc kml kmz 7z cco jardiff jnlp run
            pl pm prc pdb rar rpm sea swf sit tcl tk der pem crt xpi xhtml xspf zip bin exe dll deb dmg iso img msi msp
            msm docx xlsx pptx mid midi kar mp3 ogg m4a ra 3gpp 3gp ts mp4 mpeg mpg mov webm flv m4v mng asx asf wmv avi
            """
        for name in classic.split(whereSeparator: \.isWhitespace) {
            XCTAssertNotNil(MediaType(fileExtension: String(name)), String(name))
        }
    }
}
