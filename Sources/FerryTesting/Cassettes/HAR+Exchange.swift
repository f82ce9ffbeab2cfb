import Ferry
import Foundation

extension HAR.Request {
    /// A request without its secrets.
    init(_ request: RecordedRequest, redaction: Redaction) {
        let request = request.redacted(by: redaction)
        method = request.method.rawValue
        url = request.url.absoluteString
        httpVersion = "HTTP/1.1"
        headers = request.headers.map { HAR.Pair(name: $0.name, value: $0.value) }
        queryString = request.queryItems.map { HAR.Pair(name: $0.name, value: $0.value ?? "") }
        headersSize = -1
        bodySize = request.body.count
        guard request.hasBody else { return }
        let text = String(validating: request.body, as: UTF8.self)
        postData = HAR.PostData(
            mimeType: request.headers["Content-Type"] ?? "", text: text ?? request.body.base64EncodedString(),
            params: [], _encoding: text == nil ? "base64" : nil)
    }

    /// The request as one that a transport could have been asked.
    ///
    /// - Throws: `NetworkError` of kind `mock`.
    func recorded(number: Int) throws(NetworkError) -> RecordedRequest {
        guard let url = URL(string: url) else {
            throw NetworkError(.mock, "Entry \(number) of the cassette has no URL")
        }
        var headers = HTTPHeaders(self.headers.flatMap(\.fields))
        if !headers.contains("Content-Type"), let type = postData?.mimeType, !type.isEmpty {
            headers["Content-Type"] = type
        }
        var body = Data()
        if let postData {
            if let text = postData.text, !text.isEmpty {
                guard let bytes = postData._encoding == "base64" ? Data(base64Encoded: text) : Data(text.utf8) else {
                    throw NetworkError(.mock, "The body of entry \(number) of the cassette is no base64")
                }
                body = bytes
            } else if let params = postData.params, !params.isEmpty {
                body = Data(
                    params.map {
                        [$0.name, $0.value ?? ""].map { PercentEncoding.encode($0, allowed: .unreserved) }
                            .joined(separator: "=")
                    }.joined(separator: "&").utf8)
            }
        }
        return RecordedRequest(
            number: number, method: HTTPMethod(method), url: url, headers: headers, body: body,
            hasBody: postData != nil)
    }
}

extension HAR.Response {
    /// A response without its secrets.
    init(_ head: HTTPResponse.Head, body: Data, redaction: Redaction) {
        let fields = redaction.headers(head.headers)
        status = head.status.code
        statusText = head.status.reasonPhrase
        httpVersion = "HTTP/1.1"
        headers = fields.map { HAR.Pair(name: $0.name, value: $0.value) }
        let shown = redaction.body(body, contentType: head.contentType)
        let text = HAR.isUnicode(head.contentType) ? String(validating: shown, as: UTF8.self) : nil
        content = HAR.Content(
            size: shown.count, mimeType: fields["Content-Type"] ?? "", text: text ?? shown.base64EncodedString(),
            encoding: text == nil ? "base64" : nil)
        redirectURL = fields["Location"] ?? ""
        headersSize = -1
        bodySize = shown.count
    }

    /// No response came.
    static let none = HAR.Response(
        status: 0, statusText: "", httpVersion: "HTTP/1.1", headers: [],
        content: HAR.Content(size: 0, mimeType: ""), redirectURL: "", headersSize: -1, bodySize: -1)
}

extension HAR.Entry {
    /// The entry as a mock of its exchange.
    ///
    /// - Parameters:
    ///   - number: The entry's number, for errors.
    ///   - keepsTimings: Whether head and chunks come when they came.
    /// - Throws: `NetworkError` of kind `mock` for content that is not what it says.
    func mock(number: Int, keepsTimings: Bool) throws(NetworkError) -> MockResponse {
        // Bounded: a duration from a number beyond its range traps.
        let wait = Duration.milliseconds(keepsTimings ? min(max(timings.wait, 0), 1e9) : 0)
        guard response.status >= 200 else {
            let known = NetworkError.Kind(rawValue: _error ?? "")
            return MockResponse.failure(Self.failures.contains(known) ? known : .network).delayed(by: wait)
        }
        let body = try content(number: number)
        var headers = HTTPHeaders(response.headers.flatMap(\.fields))
        // Content that is redacted, or that another tool has without its transfer coding, is of another length.
        let isCoded = headers.contains("Content-Encoding") || headers.contains("Transfer-Encoding")
        let isSent = request.method != "HEAD" && !HTTPStatus(response.status).forbidsBody
        if isSent, !isCoded, let length = headers["Content-Length"], length != String(body.count) {
            headers["Content-Length"] = String(body.count)
        }
        let type = response.content.mimeType
        if !headers.contains("Content-Type"), !type.isEmpty, !body.isEmpty { headers["Content-Type"] = type }
        if response.content.encoding == nil, let type = headers["Content-Type"].flatMap({ MediaType($0) }),
            !HAR.isUnicode(type)
        {
            // A browser keeps Unicode, whatever the page was in.
            let others = type.parameters.filter { $0.name != "charset" }.map { ($0.name, $0.value) }
            headers["Content-Type"] =
                MediaType(type: type.type, subtype: type.subtype, parameters: others + [("charset", "utf-8")])?
                .description
        }
        // A schedule, so that no length is added where the recorded head has none.
        var chunks: [(after: Duration, data: Data)] = body.isEmpty ? [] : [(.zero, body)]
        if keepsTimings, let marks = _chunks { chunks = Self.cut(body, marks) }
        var mock = MockResponse.chunks(chunks, status: HTTPStatus(response.status), headers: headers)
        mock.contentType = nil
        return mock.delayed(by: wait)
    }

    private func content(number: Int) throws(NetworkError) -> Data {
        guard let text = response.content.text else { return Data() }
        if response.content.encoding?.lowercased() == "base64" {
            guard let data = Data(base64Encoded: text, options: .ignoreUnknownCharacters) else {
                throw NetworkError(.mock, "The content of entry \(number) of the cassette is no base64")
            }
            return data
        }
        return Data(text.utf8)
    }

    /// What a recording can have failed with.
    private static let failures: Set<NetworkError.Kind> = [
        .cannotConnect, .cannotFindHost, .connectionLost, .offline, .malformedResponse, .network, .tls, .timeout,
        .bodyTooLarge, .headTooLarge,
    ]

    private static func cut(_ body: Data, _ marks: [[Double]]) -> [(after: Duration, data: Data)] {
        var rest = body[...]
        var last = 0.0
        var chunks: [(after: Duration, data: Data)] = []
        for mark in marks where mark.count == 2 && mark.allSatisfy({ $0.isFinite && $0 >= 0 && $0 < 1e9 }) {
            let piece = rest.prefix(Int(mark[1]))
            rest = rest.dropFirst(piece.count)
            chunks.append((.milliseconds(max(mark[0] - last, 0)), Data(piece)))
            last = max(last, mark[0])
        }
        if !rest.isEmpty { chunks.append((.zero, Data(rest))) }
        return chunks
    }
}

extension HAR {
    /// Whether text of a type is Unicode in UTF-8. Other text is kept as bytes: a reader takes `text` for Unicode.
    fileprivate static func isUnicode(_ type: MediaType?) -> Bool {
        guard let charset = type?.charset?.lowercased() else { return true }
        return ["utf-8", "utf8", "us-ascii", "ascii"].contains(charset)
    }
}

extension HAR.Pair {
    /// The field lines; a browser joins those of one name with line feeds, and HTTP/2 pseudo-fields are none.
    fileprivate var fields: [HTTPHeaders.Field] {
        guard !name.hasPrefix(":") else { return [] }
        return value.utf8.split(separator: 0x0A, omittingEmptySubsequences: false).map {
            HTTPHeaders.Field(name: name, value: FieldSyntax.trimmed(Substring($0)))
        }
    }
}

extension RecordedRequest {
    init(number: Int, method: HTTPMethod, url: URL, headers: HTTPHeaders, body: Data, hasBody: Bool) {
        self.number = number
        self.method = method
        self.url = url
        self.headers = headers
        self.body = body
        self.hasBody = hasBody
    }

    /// The request as a cassette keeps it.
    func redacted(by redaction: Redaction) -> RecordedRequest {
        let type = headers["Content-Type"].flatMap { MediaType($0) }
        return RecordedRequest(
            number: number, method: method, url: redaction.url(url), headers: redaction.headers(headers),
            body: redaction.body(body, contentType: type), hasBody: hasBody)
    }
}
