import Ferry
import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// What is made before anything is sent: queries, forms, requests, multipart bodies; against Foundation by hand.
enum EncodingWorks {
    static var all: [Work] {
        [
            Work(name: "encode query", run: query), Work(name: "encode form", run: form),
            Work(name: "request building", run: request), Work(name: "multipart framing", run: multipart),
        ]
    }

    static let parameters: Parameters = [
        "q": "swift http", "page": 2, "per_page": 50, "sort": "stars", "order": "desc", "tags": ["a", "b c"],
        "archived": false, "price": 1.5,
    ]

    private static let items: [URLQueryItem] = [
        ("q", "swift http"), ("page", "2"), ("per_page", "50"), ("sort", "stars"), ("order", "desc"), ("tags[]", "a"),
        ("tags[]", "b c"), ("archived", "false"), ("price", "1.5"),
    ].map { URLQueryItem(name: $0.0, value: $0.1) }

    private static func query(_ bench: Bench) async throws -> [Row] {
        try await bench.compared("encode query", count: 10_000) {
            let text = QuerySerializer.string(from: try ParameterEncoder().encode(parameters))
            precondition(!text.isEmpty, "A wrong answer")
        } baseline: {
            var components = URLComponents()
            components.queryItems = items
            precondition(components.percentEncodedQuery != nil, "A wrong answer")
        }
    }

    /// A form as a type: what a user gives to a body.
    struct Order: Encodable, Sendable {
        var item = "a book"
        var count = 3
        var note = "to the door & ring"
        var tags = ["gift", "fragile"]
        var isExpress = true
    }

    private static func form(_ bench: Bench) async throws -> [Row] {
        let order = Order()
        return try await bench.compared("encode form", count: 10_000) {
            let data = FormSerializer.data(from: try ParameterEncoder().encode(order))
            precondition(!data.isEmpty, "A wrong answer")
        } baseline: {
            var components = URLComponents()
            components.queryItems = [
                URLQueryItem(name: "item", value: order.item), URLQueryItem(name: "count", value: "\(order.count)"),
                URLQueryItem(name: "note", value: order.note), URLQueryItem(name: "tags[]", value: order.tags[0]),
                URLQueryItem(name: "tags[]", value: order.tags[1]),
                URLQueryItem(name: "isExpress", value: "\(order.isExpress)"),
            ]
            // Without escaping what the standard of forms escapes beyond URLs.
            let text = components.percentEncodedQuery?.replacingOccurrences(of: "%20", with: "+") ?? ""
            precondition(!Data(text.utf8).isEmpty, "A wrong answer")
        }
    }

    /// A builder as a client has one, and a call for it.
    static func example() throws -> (builder: RequestBuilder, call: NetworkCall) {
        let builder = RequestBuilder(
            baseURL: try CallWorks.url("https://api.example.com/v1"),
            headers: ["Accept": "application/json", "User-Agent": "bench"], query: [:],
            encoder: JSONCoding.makeEncoder(), parameterStyle: .default)
        let call = NetworkCall(
            .get, "/users/42/repos", query: ["page": 2, "per_page": 50], headers: ["X-Request-Id": "7b1f5c0e"])
        return (builder, call)
    }

    private static func request(_ bench: Bench) async throws -> [Row] {
        let (builder, call) = try example()
        let base = try CallWorks.url("https://api.example.com/v1")
        return try await bench.compared("request building", count: 10_000) {
            let request = URLRequest(try builder.request(for: call))
            precondition(request.url != nil, "A wrong answer")
        } baseline: {
            var components = URLComponents(
                url: base.appending(path: "users/42/repos"), resolvingAgainstBaseURL: false)
            components?.queryItems = [
                URLQueryItem(name: "page", value: "2"), URLQueryItem(name: "per_page", value: "50"),
            ]
            guard let url = components?.url else { throw Failure(message: "No URL") }
            var request = URLRequest(url: url)
            request.setValue("application/json", forHTTPHeaderField: "Accept")
            request.setValue("bench", forHTTPHeaderField: "User-Agent")
            request.setValue("7b1f5c0e", forHTTPHeaderField: "X-Request-Id")
            precondition(request.url != nil, "A wrong answer")
        }
    }

    /// Two fields and a file in memory.
    static func exampleForm(_ file: Data) -> MultipartForm {
        var form = MultipartForm()
        form.append("title", "A photo")
        form.append("album", "Summer")
        form.append("file", data: file, fileName: "a.jpg", contentType: "image/jpeg")
        return form
    }

    private static func multipart(_ bench: Bench) async throws -> [Row] {
        let file = Data(repeating: 0x5A, count: 64 << 10)
        let encoder = BodyEncoder()
        return try await bench.compared("multipart framing", count: 2_000) {
            let body = try encoder.encode(.multipart(exampleForm(file)))
            precondition(body.contentType != nil, "A wrong answer")
        } baseline: {
            let boundary = UUID().uuidString
            var body = Data()
            for (name, value) in [("title", "A photo"), ("album", "Summer")] {
                body += Data(
                    "--\(boundary)\r\nContent-Disposition: form-data; name=\"\(name)\"\r\n\r\n\(value)\r\n".utf8)
            }
            body += Data("--\(boundary)\r\nContent-Disposition: form-data; name=\"file\"; filename=\"a.jpg\"\r\n".utf8)
            body += Data("Content-Type: image/jpeg\r\n\r\n".utf8) + file + Data("\r\n--\(boundary)--\r\n".utf8)
            precondition(body.count > file.count, "A wrong answer")
        }
    }
}
