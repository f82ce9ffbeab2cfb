import Ferry
import Foundation

extension HAR.Request {
    /// A request without its secrets.
    init(_ request: RecordedRequest, redaction: Redaction) {
        let request = request.redacted(by: redaction)
        method = request.method.rawValue
        url = request.url.absoluteString
        httpVersion = "HTTP/1.1"
        cookies = []
        headers = request.headers.map { HAR.Pair(name: $0.name, value: $0.value) }
        queryString = request.queryItems.map { HAR.Pair(name: $0.name, value: $0.value ?? "") }
        headersSize = -1
        bodySize = request.body.count
        guard !request.body.isEmpty else { return }
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
        let fields = headers.filter { !$0.name.hasPrefix(":") }.map {
            HTTPHeaders.Field(name: $0.name, value: $0.value)
        }
        var headers = HTTPHeaders(fields)
        if !headers.contains("Content-Type"), let type = postData?.mimeType, !type.isEmpty {
            headers["Content-Type"] = type
        }
        var body = Data()
        if let postData {
            if let text = postData.text, !text.isEmpty {
                body = postData._encoding == "base64" ? Data(base64Encoded: text) ?? Data() : Data(text.utf8)
            } else if let params = postData.params, !params.isEmpty {
                body = Data(
                    params.map {
                        [$0.name, $0.value ?? ""].map { PercentEncoding.encode($0, allowed: .unreserved) }
                            .joined(separator: "=")
                    }.joined(separator: "&").utf8)
            }
        }
        return RecordedRequest(number: number, method: HTTPMethod(method), url: url, headers: headers, body: body)
    }
}

extension HAR.Response {
    /// A response without its secrets.
    init(_ head: HTTPResponse.Head, body: Data, redaction: Redaction) {
        let fields = redaction.headers(head.headers)
        status = head.status.code
        statusText = head.status.reasonPhrase
        httpVersion = "HTTP/1.1"
        cookies = []
        headers = fields.map { HAR.Pair(name: $0.name, value: $0.value) }
        let shown = redaction.body(body, contentType: head.contentType)
        let text = String(validating: shown, as: UTF8.self)
        content = HAR.Content(
            size: shown.count, mimeType: fields["Content-Type"] ?? "", text: text ?? shown.base64EncodedString(),
            encoding: text == nil ? "base64" : nil)
        redirectURL = fields["Location"] ?? ""
        headersSize = -1
        bodySize = shown.count
    }

    /// No response came.
    static let none = HAR.Response(
        status: 0, statusText: "", httpVersion: "HTTP/1.1", cookies: [], headers: [],
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
        let wait = Duration.milliseconds(keepsTimings ? min(max(timings?.wait ?? 0, 0), 1e9) : 0)
        guard response.status >= 200 else {
            let known = NetworkError.Kind(rawValue: _error ?? "")
            return MockResponse.failure(Self.failures.contains(known) ? known : .network).delayed(by: wait)
        }
        var body = Data()
        if let text = response.content.text {
            if response.content.encoding?.lowercased() == "base64" {
                guard let data = Data(base64Encoded: text, options: .ignoreUnknownCharacters) else {
                    throw NetworkError(.mock, "The content of entry \(number) of the cassette is no base64")
                }
                body = data
            } else {
                body = Data(text.utf8)
            }
        }
        // The content stands decoded and perhaps redacted, so what describes the bytes on the wire does not fit it.
        var headers = HTTPHeaders(
            response.headers.filter { !$0.name.hasPrefix(":") }.map { .init(name: $0.name, value: $0.value) })
        for name in ["Content-Encoding", "Transfer-Encoding"] { headers.remove(name) }
        if request.method != "HEAD" { headers.remove("Content-Length") }
        if !headers.contains("Content-Type"), let type = response.content.mimeType, !type.isEmpty, !body.isEmpty {
            headers["Content-Type"] = type
        }
        let status = HTTPStatus(response.status)
        guard keepsTimings, let chunks = _chunks else {
            return MockResponse(.data(body), status: status, headers: headers, delay: wait)
        }
        return MockResponse.chunks(Self.cut(body, chunks), status: status, headers: headers).delayed(by: wait)
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

extension RecordedRequest {
    init(number: Int, method: HTTPMethod, url: URL, headers: HTTPHeaders, body: Data) {
        self.number = number
        self.method = method
        self.url = url
        self.headers = headers
        self.body = body
    }

    /// The request as a cassette keeps it.
    func redacted(by redaction: Redaction) -> RecordedRequest {
        let type = headers["Content-Type"].flatMap { MediaType($0) }
        return RecordedRequest(
            number: number, method: method, url: redaction.url(url), headers: redaction.headers(headers),
            body: redaction.body(body, contentType: type))
    }
}
