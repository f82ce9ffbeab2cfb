import Ferry
import Foundation
import XCTest

/// What is secret is replaced, and everything else stays byte for byte.
final class RedactionTests: XCTestCase {
    private let redaction = Redaction.standard

    func testHeaders_hideCredentialsWhole() {
        let headers: HTTPHeaders = [
            "authorization": "Digest username=\"u\", response=\"s3cr3t\"", "PROXY-Authorization": "Basic s3cr3t",
            "cookie": "sid=s3cr3t; a=1", "Set-Cookie": "a=s3cr3t", "X-API-Key": "s3cr3t", "X-My-Token": "s3cr3t",
            "X-Client-Secret": "s3cr3t", "Location": "https://u:s3cr3t@h.test/p?code=s3cr3t&b=2#access_token=s3cr3t",
            "Link": "<https://h.test/?token=s3cr3t&page=2>; rel=\"next\"", "Accept": "text/html;q=0.8",
            "ETag": "\"a=b\"",
            "X-Debug": "was Bearer s3cr3t.abc",
        ]
        let redacted = redaction.headers(headers)
        XCTAssertEqual(redacted.map(\.name), headers.map(\.name))
        XCTAssertFalse(redacted.contains { $0.value.contains("s3cr3t") }, "\(redacted.map(\.value))")
        XCTAssertEqual(redacted["Authorization"], "REDACTED")
        XCTAssertEqual(redacted["Accept"], "text/html;q=0.8")
        XCTAssertEqual(redacted["ETag"], "\"a=b\"")
        XCTAssertEqual(redacted["Location"], "https://REDACTED@h.test/p?code=REDACTED&b=2#access_token=REDACTED")
        XCTAssertEqual(redacted["Link"], "<https://h.test/?token=REDACTED&page=2>; rel=\"next\"")
    }

    func testURL_hidesUserinfoAndNamedValues() throws {
        let cases = [
            ("https://u:p@h.test/a?x=1", "https://REDACTED@h.test/a?x=1"),
            (
                "https://h.test/a?api_key=k&q=a%20b+c&API-KEY=k",
                "https://h.test/a?api_key=REDACTED&q=a%20b+c&API-KEY=REDACTED"
            ),
            ("https://h.test/a?access%5Ftoken=k", "https://h.test/a?access%5Ftoken=REDACTED"),
            ("https://h.test/a?user%5Bpassword%5D=k", "https://h.test/a?user%5Bpassword%5D=REDACTED"),
            ("https://h.test/a?token=a,b;c'd", "https://h.test/a?token=REDACTED"),
            ("https://h.test/a;jsessionid=k?x", "https://h.test/a;jsessionid=REDACTED?x"),
            ("https://h.test/a?max_tokens=5&key=k", "https://h.test/a?max_tokens=5&key=REDACTED"),
            (
                "https://h.test/?next=https%3A%2F%2Fi.test%2F%3Ftoken%3Dk%26a%3D1",
                "https://h.test/?next=https%3A%2F%2Fi.test%2F%3Ftoken%3DREDACTED%26a%3D1"
            ),
            (
                "https://h.test/?f=%7B%22password%22%3A%22k%22%7D",
                "https://h.test/?f=%7B%22password%22%3A%22REDACTED%22%7D"
            ),
            ("https://h.test/p%2Fq?a=%26&b", "https://h.test/p%2Fq?a=%26&b"),
            ("https://[::1]:8080/?sig=x#y", "https://[::1]:8080/?sig=REDACTED#y"),
        ]
        for (url, expected) in cases {
            XCTAssertEqual(redaction.url(try XCTUnwrap(URL(string: url))).absoluteString, expected)
        }
    }

    func testJSON_hidesMembersAtAnyDepthAndKeepsTheRest() {
        let cases = [
            (#"{"a": [1.50, {"Password" : "k"}], "b":1e400}"#, #"{"a": [1.50, {"Password" : "REDACTED"}], "b":1e400}"#),
            (#"{"secret": {"a": ["}", 1]}, "b": "c"}"#, #"{"secret": "REDACTED", "b": "c"}"#),
            (#"{"refresh_token":12,"accessToken":null}"#, #"{"refresh_token":"REDACTED","accessToken":null}"#),
            (#"{"p\u0061ssword":"k\"k"}"#, #"{"p\u0061ssword":"REDACTED"}"#),
            (#"{"code":7,"key":"name"}"#, #"{"code":7,"key":"name"}"#),
            (#"{"inner":"{\"password\":\"k\"}"}"#, #"{"inner":"{\"password\":\"REDACTED\"}"}"#),
            (#"{"url":"https://u:k@h.test/?token=k"}"#, #"{"url":"https://REDACTED@h.test/?token=REDACTED"}"#),
            (#"{"a":1,"token":"cut o"#, #"{"a":1,"token":"REDACTED""#),
            (#"["a"x"#, #"["a"x"#), (#"{"a":"cut"#, #"{"a":"cut"#), (#"""#, #"""#),
            ("{\"pin\":1}\n{\"pin\":2}\n", "{\"pin\":\"REDACTED\"}\n{\"pin\":\"REDACTED\"}\n"),
            ("data: {\"token\":\"k\"}\n\n", "data: {\"token\":\"REDACTED\"}\n\n"),
        ]
        for (text, expected) in cases {
            for type in [MediaType.json, .plainText, nil] {
                XCTAssertEqual(redaction.bodyText(Data(text.utf8), contentType: type), expected)
                XCTAssertEqual(redaction.body(Data(text.utf8), contentType: type), Data(expected.utf8))
            }
        }
    }

    func testNesting_deeperThanReadIsHiddenWhole() throws {
        var text = #"{"password":"hunter2"}"#
        for _ in 0..<9 { text = "{\"a\":\(String(decoding: try JSONEncoder().encode(text), as: UTF8.self))}" }
        XCTAssertFalse(redaction.text(text).contains("hunter2"))
        XCTAssertFalse(
            redaction.text(String(repeating: "{\"a\":[", count: 100_000) + "\"pwd\":\"hunter2").contains("hunter2"))
    }

    func testForm_hidesValues() {
        let text = "grant_type=password&username=u&pass%77ord=a%20b&code=k&x=%2B&client_secret=&y"
        XCTAssertEqual(
            redaction.bodyText(Data(text.utf8), contentType: .form),
            "grant_type=password&username=u&pass%77ord=REDACTED&code=REDACTED&x=%2B&client_secret=REDACTED&y")
    }

    func testText_hidesLinesPairsAndSchemes() {
        let cases = [
            ("Authorization: Bearer k k\r\nAccept: a", "Authorization: REDACTED\r\nAccept: a"),
            ("  password: k k\nb: c", "  password: REDACTED\nb: c"),
            ("got bearer abcdef.ghi, bearer of news", "got bearer REDACTED, bearer of news"),
            ("- user password: k, b", "- user password: REDACTED b"),
            ("error: token=k at x", "error: token=REDACTED at x"), ("a token is here", "a token is here"),
            ("<a href=\"https://u:k@h.test\">", "<a href=\"https://REDACTED@h.test\">"), ("12:30 a=b", "12:30 a=b"),
        ]
        for (text, expected) in cases { XCTAssertEqual(redaction.text(text), expected) }
    }

    func testNames_areFoundHoweverOftenTheyAreEncoded() throws {
        let cases = [
            ("?pass%77ord=k", "?pass%77ord=REDACTED"), ("?pass%2577ord=k", "?pass%2577ord=REDACTED"),
            ("?pass%252577ord=k", "?pass%252577ord=REDACTED"), ("?TOKEN=k&Token=k", "?TOKEN=REDACTED&Token=REDACTED"),
            ("#access_token=k&state=a", "#access_token=REDACTED&state=a"),
            ("#/cb?id_token=k", "#/cb?id_token=REDACTED"),
            ("?j=%7B%22token%22%3A%22k%22%7D", "?j=%7B%22token%22%3A%22REDACTED%22%7D"),
            ("?j=%257B%2522token%2522%253A%2522k%2522%257D", "?j=%257B%2522token%2522%253A%2522REDACTED%2522%257D"),
            ("?r=https%3A%2F%2Fu%3Ak%40h.test%2F", "?r=https%3A%2F%2FREDACTED%40h.test%2F"),
            ("?a=100%25&b=%zz&c=%", "?a=100%25&b=%zz&c=%"),
            ("?filter%5Bauth_key%5D=k", "?filter%5Bauth_key%5D=REDACTED"),
        ]
        for (text, expected) in cases {
            let url = try XCTUnwrap(URL(string: "https://h.test/" + text), text)
            // Foundation repairs what is no escape; then both sides are the same.
            let wanted = try XCTUnwrap(URL(string: "https://h.test/" + expected))
            XCTAssertEqual(redaction.url(url).absoluteString, wanted.absoluteString)
        }
        let form = "payload=%7B%22a%22%3A%5B%7B%22Client-Secret%22%3A%22k%22%7D%5D%7D&x=1"
        XCTAssertEqual(
            redaction.bodyText(Data(form.utf8), contentType: .form),
            "payload=%7B%22a%22%3A%5B%7B%22Client-Secret%22%3A%22REDACTED%22%7D%5D%7D&x=1")
    }

    func testNames_areHiddenByTheirLastWord() throws {
        for name in [
            "X-Auth", "X-GitHub-OTP", "x-session", "X-JWT", "X-Cookie", "X-Goog-Iap-Jwt-Assertion", "x-functions-key",
            "DD-APPLICATION-KEY", "X-Key", "Authentication",
        ] {
            XCTAssertEqual(redaction.headers([name: "k"])[name], "REDACTED", name)
        }
        for name in ["X-Author", "X-Request-Id", "Idempotency-Key", "X-Compass", "X-Session-Count", "Sec-Session-Mode"]
        {
            XCTAssertEqual(redaction.headers([name: "k"])[name], "k", name)
        }
        let text = #"{"userPin":"k","new_otp":1,"isOTP":true,"tokens":["k"],"spin":1,"max_tokens":1,"ping":"pong"}"#
        XCTAssertEqual(
            redaction.bodyText(Data(text.utf8), contentType: .json),
            #"{"userPin":"REDACTED","new_otp":"REDACTED","isOTP":true,"tokens":"REDACTED","spin":1,"max_tokens":1,"#
                + #""ping":"pong"}"#)
        let url = try XCTUnwrap(URL(string: "https://h.test/?user_pass=k&oauth_verifier=k&tokens%5B%5D=k&bypass=1"))
        XCTAssertEqual(
            redaction.url(url).query(), "user_pass=REDACTED&oauth_verifier=REDACTED&tokens%5B%5D=REDACTED&bypass=1")
    }

    func testText_hidesPairsWithSpacesAndQuotes() {
        let cases = [
            ("token = k b", "token = REDACTED b"), ("password= k\nUSER=u", "password= REDACTED\nUSER=u"),
            ("[db]\npassword\t=\t\"k k\"\nuser = u", "[db]\npassword\t=\tREDACTED\nuser = u"),
            ("password= \nx=k", "password= REDACTED\nx=k"), ("secret : k b", "secret : REDACTED b"),
            ("{'password': 'k k', 'a': 'b'}", "{'password': REDACTED, 'a': 'b'}"),
            ("\"token\" = \"k\";", "\"token\" = REDACTED;"), ("Bearer   abcdef.ghi", "Bearer   REDACTED"),
            ("bearer\tabcdef.ghi", "bearer\tREDACTED"), ("a = b, 12 : 30", "a = b, 12 : 30"), (" = k", " = k"),
        ]
        for (text, expected) in cases { XCTAssertEqual(redaction.text(text), expected) }
        let hostile = String(repeating: "token ", count: 20_000) + String(repeating: "  =", count: 20_000)
        XCTAssertFalse(redaction.text(hostile).isEmpty)
    }

    func testElements_areHiddenByName() {
        let cases = [
            ("<a><password>k</password><b>c</b></a>", "<a><password>REDACTED</password><b>c</b></a>"),
            ("<s:Password Type=\"t\">k</s:Password>", "<s:Password Type=\"t\">REDACTED</s:Password>"),
            ("<token><![CDATA[k>k]]></token>x", "<token>REDACTED</token>x"), ("<token/>x<b>y</b>", "<token/>x<b>y</b>"),
            ("<secret><x>k</x></secret>", "<secret>REDACTED</secret>"), ("<secret>k", "<secret>REDACTED"),
            ("<token></token>", "<token></token>"), ("a > b < c <!-- token > -->", "a > b < c <!-- token > -->"),
            ("<add key=\"password\" token=\"k\"/>", "<add key=\"password\" token=REDACTED/>"),
        ]
        for (text, expected) in cases { XCTAssertEqual(redaction.text(text), expected) }
        let hostile = String(repeating: "<token>", count: 20_000) + String(repeating: ">", count: 50_000)
        XCTAssertEqual(redaction.text(hostile), "<token>REDACTED")
        XCTAssertEqual(redaction.text(String(repeating: ">", count: 50_000)).utf8.count, 50_000)
    }

    func testMultipart_hidesPartsByName() throws {
        let type = try XCTUnwrap(MediaType("multipart/form-data; boundary=b"))
        let head = "--b\r\nContent-Disposition: form-data; name="
        let text =
            "\(head)\"title\"\r\n\r\nx\r\n\(head)\"password\"\r\n\r\nk\r\n\(head)\"meta\"\r\n"
            + "Content-Type: application/json\r\n\r\n{\"token\":\"k\"}\r\n\(head)\"f\"; filename=\"a\"\r\n\r\n"
        let data = Data(text.utf8) + Data([0, 0xFF, 0x10]) + Data("\r\n--b--\r\n".utf8)
        let expected = text.replacing("\r\n\r\nk\r\n", with: "\r\n\r\nREDACTED\r\n").replacing(
            "\"k\"", with: "\"REDACTED\"")
        XCTAssertEqual(redaction.bodyText(data, contentType: type), expected + "<3 bytes>\r\n--b--\r\n")
        XCTAssertEqual(
            redaction.body(data, contentType: type),
            Data(expected.utf8) + Data([0, 0xFF, 0x10]) + Data("\r\n--b--\r\n".utf8))
    }

    func testBinary_isNoText() {
        let data = Data([0, 0xFF, 0x10])
        XCTAssertNil(redaction.bodyText(data, contentType: nil))
        XCTAssertEqual(redaction.body(data, contentType: nil), data)
        XCTAssertEqual(redaction.bodyText(Data("aé".utf8.dropLast()), contentType: nil), "a")
    }

    func testNames_canBeAddedAndExempted() throws {
        let custom = Redaction.standard.hiding("X-Tenant", "iban").showing("page_token")
        let url = try XCTUnwrap(URL(string: "https://h.test/?pageToken=a&x_tenant=b&IBAN=c&token=d"))
        XCTAssertEqual(
            custom.url(url).absoluteString, "https://h.test/?pageToken=a&x_tenant=REDACTED&IBAN=REDACTED&token=REDACTED"
        )
        XCTAssertEqual(custom.headers(["X-Tenant": "a"])["x-tenant"], "REDACTED")
        XCTAssertEqual(Redaction.none.url(url), url)
        XCTAssertEqual(Redaction.none.headers(["Cookie": "a"])["cookie"], "a")
        XCTAssertEqual(Redaction.none.bodyText(Data("token=a".utf8), contentType: .form), "token=a")
    }
}
