import Foundation

/// An encoding of text, found by its label (WHATWG Encoding Standard §4.2).
enum Charset: Equatable {
    case utf8
    case utf16BigEndian
    case utf16LittleEndian
    case windows1252
    /// Foundation on Linux does not read it.
    case eucJP
    /// One that Foundation reads.
    case legacy(String.Encoding)

    /// Shift_JIS with Windows' additions, as the standard reads it.
    static let shiftJIS = foundation(0x0420)

    /// The encoding of a label, without regard to case and white space around it, or nil for an unknown one.
    init?(label: String) {
        let label = label.trimmingCharacters(in: .whitespacesAndNewlines).lowercased()
        guard let charset = Self.labels[label] else { return nil }
        self = charset
    }

    private static let labels: [String: Charset] = {
        var labels: [String: Charset] = [:]
        for (charset, names) in table {
            for name in names.split(separator: " ") { labels[String(name)] = charset }
        }
        return labels
    }()

    /// The labels of each encoding, as the standard lists them.
    private static let table: [(Charset, String)] = [
        (.utf8, "unicode-1-1-utf-8 unicode11utf8 unicode20utf8 utf-8 utf8 x-unicode20utf8"),
        (.utf16BigEndian, "unicodefffe utf-16be"),
        (.utf16LittleEndian, "csunicode iso-10646-ucs-2 ucs-2 unicode unicodefeff utf-16 utf-16le"),
        (
            // Latin 1 and ASCII are read as their superset: that is what servers that say so send.
            .windows1252,
            "ansi_x3.4-1968 ascii cp1252 cp819 csisolatin1 ibm819 iso-8859-1 iso-ir-100 iso8859-1 iso88591"
                + " iso_8859-1 iso_8859-1:1987 l1 latin1 us-ascii windows-1252 x-cp1252"
        ),
        (foundation(0x041B), "866 cp866 csibm866 ibm866"),
        (foundation(0x0202), names(of: 2, "101", "csisolatin2 l2 latin2 iso_8859-2:1987")),
        (foundation(0x0203), names(of: 3, "109", "csisolatin3 l3 latin3 iso_8859-3:1988")),
        (foundation(0x0204), names(of: 4, "110", "csisolatin4 l4 latin4 iso_8859-4:1988")),
        (foundation(0x0205), names(of: 5, "144", "csisolatincyrillic cyrillic iso_8859-5:1988")),
        (
            foundation(0x0206),
            names(
                of: 6, "127",
                "arabic asmo-708 csiso88596e csiso88596i csisolatinarabic ecma-114 iso-8859-6-e iso-8859-6-i"
                    + " iso_8859-6:1987")
        ),
        (
            foundation(0x0207),
            names(of: 7, "126", "csisolatingreek ecma-118 elot_928 greek greek8 iso_8859-7:1987 sun_eu_greek")
        ),
        (
            foundation(0x0208),
            names(
                of: 8, "138",
                "csiso88598e csisolatinhebrew hebrew iso-8859-8-e iso_8859-8:1988 visual csiso88598i iso-8859-8-i"
                    + " logical")
        ),
        (foundation(0x020A), "csisolatin6 iso-8859-10 iso-ir-157 iso8859-10 iso885910 l6 latin6"),
        (foundation(0x020D), "iso-8859-13 iso8859-13 iso885913"),
        (foundation(0x020E), "iso-8859-14 iso8859-14 iso885914"),
        (foundation(0x020F), "csisolatin9 iso-8859-15 iso8859-15 iso885915 iso_8859-15 l9"),
        (foundation(0x0210), "iso-8859-16"),
        (foundation(0x0A02), "cskoi8r koi koi8 koi8-r koi8_r"),
        (foundation(0x0A08), "koi8-ru koi8-u"),
        // By its number: with `.macOSRoman` Foundation on Linux reads NeXT's encoding.
        (foundation(0x0000), "csmacintosh mac macintosh x-mac-roman"),
        (foundation(0x041D), "dos-874 iso-8859-11 iso8859-11 iso885911 tis-620 windows-874"),
        (foundation(0x0501), "cp1250 windows-1250 x-cp1250"),
        (foundation(0x0502), "cp1251 windows-1251 x-cp1251"),
        (foundation(0x0503), "cp1253 windows-1253 x-cp1253"),
        (
            // Latin 5 too is read as its superset.
            foundation(0x0504),
            names(of: 9, "148", "cp1254 csisolatin5 iso_8859-9:1989 l5 latin5 windows-1254 x-cp1254")
        ),
        (foundation(0x0505), "cp1255 windows-1255 x-cp1255"),
        (foundation(0x0506), "cp1256 windows-1256 x-cp1256"),
        (foundation(0x0507), "cp1257 windows-1257 x-cp1257"),
        (foundation(0x0508), "cp1258 windows-1258 x-cp1258"),
        // GBK is read as its superset.
        (
            foundation(0x0632),
            "chinese csgb2312 csiso58gb231280 gb18030 gb2312 gb_2312 gb_2312-80 gbk iso-ir-58 x-gbk"
        ),
        (foundation(0x0A03), "big5 big5-hkscs cn-big5 csbig5 x-x-big5"),
        (.eucJP, "cseucpkdfmtjapanese euc-jp x-euc-jp"),
        (.legacy(.iso2022JP), "csiso2022jp iso-2022-jp"),
        (.shiftJIS, "csshiftjis ms932 ms_kanji shift-jis shift_jis sjis windows-31j x-sjis"),
        (
            // EUC-KR is read as its superset.
            foundation(0x0422),
            "cseuckr csksc56011987 euc-kr iso-ir-149 korean ks_c_5601-1987 ks_c_5601-1989 ksc5601 ksc_5601"
                + " windows-949"
        ),
    ]

    /// The spellings that most of the ISO 8859 family share.
    private static func names(of part: Int, _ registration: String, _ others: String) -> String {
        "iso-8859-\(part) iso-ir-\(registration) iso8859-\(part) iso8859\(part) iso_8859-\(part) " + others
    }

    /// An encoding that `String.Encoding` has no name for, by its CFStringEncoding number, which Foundation maps to a
    /// `String.Encoding` by setting the highest of 32 bits on every platform.
    private static func foundation(_ number: UInt) -> Charset {
        .legacy(String.Encoding(rawValue: 0x8000_0000 | number))
    }
}
