import Ferry
import Foundation
import XCTest

final class TextDecodingTests: XCTestCase {
    private func decode(_ bytes: [UInt8], _ contentType: String?) throws -> String {
        try TextDecoding.string(Data(bytes), contentType: contentType.flatMap { MediaType($0) })
    }

    func testMIME03_charsets() throws {
        let row = try ConformanceCase.load("MIME-03", area: "mime")
        let cases = row.input["cases"].array
        let expected = row.expected["strings"].strings
        XCTAssertEqual(cases.count, expected.count)
        for (item, text) in zip(cases, expected) {
            let digits = Array(try XCTUnwrap(item[1].string))
            let bytes = try stride(from: 0, to: digits.count, by: 2).map {
                try XCTUnwrap(UInt8(String(digits[$0...$0 + 1]), radix: 16))
            }
            XCTAssertEqual(try decode(bytes, item[0].string), text)
        }
    }

    /// WHATWG Encoding §4.2: labels.
    func testDecoding_labels() throws {
        let rows: [(String, [UInt8], String)] = [
            ("utf8", [0xC3, 0xA9], "é"), ("unicode-1-1-utf-8", [0xC3, 0xA9], "é"), ("\" UTF-8 \"", [0xC3, 0xA9], "é"),
            ("latin1", [0x80], "€"), ("ISO-8859-1", [0x93], "“"), ("us-ascii", [0xE9], "é"), ("cp1252", [0x9F], "Ÿ"),
            ("windows-1252", [0x81, 0x8D, 0x8F, 0x90, 0x9D], "\u{81}\u{8D}\u{8F}\u{90}\u{9D}"),
            ("utf-16", [0x41, 0x00], "A"), ("utf-16le", [0x41, 0x00], "A"), ("utf-16be", [0x00, 0x41], "A"),
            ("iso-8859-2", [0xB1], "ą"), ("latin2", [0xB1], "ą"), ("iso-8859-5", [0xB1], "Б"),
            ("iso-8859-7", [0xE1], "α"), ("iso-8859-9", [0xFD], "ı"), ("iso-8859-15", [0xA4], "€"),
            ("windows-1250", [0xB9], "ą"), ("windows-1251", [0xE9], "й"), ("windows-1253", [0xE1], "α"),
            ("windows-1254", [0xFD], "ı"), ("windows-1255", [0xE0], "א"), ("windows-1256", [0xC7], "ا"),
            ("windows-1257", [0xE0], "ą"), ("windows-1258", [0xD0], "Đ"), ("windows-874", [0xA1], "ก"),
            ("koi8-r", [0xC1], "а"), ("koi8-u", [0xA4], "є"), ("ibm866", [0x80], "А"), ("macintosh", [0x8E], "é"),
            ("shift_jis", [0x82, 0xA0], "あ"), ("windows-31j", [0x87, 0x40], "①"), ("euc-jp", [0xA4, 0xA2], "あ"),
            ("iso-2022-jp", [0x1B, 0x24, 0x42, 0x24, 0x22, 0x1B, 0x28, 0x42], "あ"),
            ("gbk", [0xC4, 0xE3], "你"), ("gb2312", [0xC4, 0xE3], "你"), ("gb18030", [0xC4, 0xE3], "你"),
            ("big5", [0xA7, 0x41], "你"), ("euc-kr", [0xC7, 0xD1], "한"), ("ks_c_5601-1987", [0xC7, 0xD1], "한"),
        ]
        for (label, bytes, text) in rows {
            XCTAssertEqual(try decode(bytes, "text/plain; charset=\(label)"), text, label)
        }
    }

    func testDecoding_byteOrderMark_decides() throws {
        let rows: [(String?, [UInt8], String)] = [
            (nil, [0xEF, 0xBB, 0xBF, 0xC3, 0xA9], "é"),
            ("text/plain; charset=latin1", [0xEF, 0xBB, 0xBF, 0xC3, 0xA9], "é"),
            (nil, [0xFE, 0xFF, 0x00, 0x41], "A"),
            ("text/plain; charset=utf-8", [0xFF, 0xFE, 0x41, 0x00], "A"),
            ("text/plain; charset=utf-16le", [0xFE, 0xFF, 0x00, 0x41], "A"),
            (nil, [0xFF, 0xFE, 0x3D, 0xD8, 0x42, 0xDE], "🙂"),
            (nil, [0xEF, 0xBB, 0xBF], ""),
        ]
        for (type, bytes, text) in rows {
            XCTAssertEqual(Array(try decode(bytes, type).unicodeScalars), Array(text.unicodeScalars))
        }
    }

    func testDecoding_invalidBytes_areReplaced() throws {
        XCTAssertEqual(try decode([0x61, 0xFF, 0x62], nil), "a\u{FFFD}b")
        XCTAssertEqual(try decode([0x61, 0xE2, 0x82], "text/plain; charset=utf-8"), "a\u{FFFD}")
        XCTAssertEqual(try decode([0x41, 0x00, 0x42], "text/plain; charset=utf-16"), "A\u{FFFD}")
        XCTAssertEqual(try decode([0x00, 0xD8, 0x41, 0x00], "text/plain; charset=utf-16"), "\u{FFFD}A")
        XCTAssertEqual(try decode([], "text/plain; charset=shift_jis"), "")
        XCTAssertEqual(
            try decode([0x82, 0xA0, 0xFF, 0x41, 0x82], "text/plain; charset=shift_jis"), "あ\u{FFFD}A\u{FFFD}")
        XCTAssertEqual(try decode([0x41, 0xA5, 0xB1], "text/plain; charset=iso-8859-3"), "A\u{FFFD}ħ")
        XCTAssertEqual(try decode([0xC4, 0xE3, 0xFF, 0x41], "text/plain; charset=gbk"), "你\u{FFFD}A")
    }

    func testDecoding_eucJP() throws {
        let rows: [([UInt8], String)] = [
            ([0x41, 0xC6, 0xFC, 0xCB, 0xDC, 0xB8, 0xEC], "A日本語"),
            ([0x8E, 0xB1], "ｱ"),
            ([0xF4, 0xA6], "熙"),
            ([0xA1, 0xA2, 0xDF, 0xA1, 0xE0, 0xA1], "、漾燹"),
            ([0x41, 0x8F, 0xB0, 0xA1, 0x42], "A\u{FFFD}B"),
            ([0xA4], "\u{FFFD}"),
        ]
        for (bytes, text) in rows { XCTAssertEqual(try decode(bytes, "text/plain; charset=EUC-JP"), text) }
    }

    func testDecoding_unknownCharset() throws {
        XCTAssertEqual(try decode([0xC3, 0xA9], "text/plain; charset=x-made-up"), "é")
        XCTAssertThrowsError(try decode([0xE9], "text/plain; charset=x-made-up")) {
            XCTAssertEqual(($0 as? NetworkError)?.kind, .decoding)
            XCTAssertTrue("\($0)".contains("x-made-up"))
        }
    }

    /// RFC 8259 §8.1, §11: JSON is UTF-8 and has no charset parameter; what is none is read by it all the same.
    func testDecoding_charsetOfJSONDoesNotCount() throws {
        for type in ["application/json; charset=iso-8859-1", "application/vnd.x+json;charset=shift_jis"] {
            XCTAssertEqual(try decode([0x22, 0xC3, 0xA9, 0x22], type), "\"é\"")
        }
        XCTAssertEqual(try decode([0x22, 0xE9, 0x22], "application/json; charset=iso-8859-1"), "\"é\"")
    }

    func testDecoding_aSliceOfData() throws {
        let data = Data([0x00, 0xEF, 0xBB, 0xBF, 0x41]).dropFirst()
        XCTAssertEqual(try TextDecoding.string(data), "A")
        XCTAssertEqual(try TextDecoding.string(data.dropFirst(3), contentType: MediaType("a/b;charset=latin1")), "A")
    }
}
