// Cassettes: exchanges in files of HTTP Archive 1.2 (http://www.softwareishard.com/blog/har-12-spec/), written by a
// RecordingTransport and served by a ReplayTransport, which serves those of browsers and proxies as well.

import Ferry
import Foundation

/// An HTTP Archive 1.2: what Ferry writes of it, and what it needs of others' files. Unknown fields are not kept.
///
/// Names with an underscore are extensions, which the format allows and readers skip.
struct HAR: Codable, Sendable {
    var log = Log()

    struct Log: Codable, Sendable {
        var version = "1.2"
        var creator = Creator()
        var entries: [Entry] = []
    }

    struct Creator: Codable, Sendable {
        var name = "Ferry"
        var version = "1"
    }

    struct Entry: Codable, Sendable {
        var startedDateTime: String
        /// Milliseconds in all.
        var time: Double
        var request: Request
        var response: Response
        var cache = Nothing()
        var timings: Timings
        /// Why there is no response: a kind of NetworkError, or another tool's words.
        var _error: String?
        /// The chunks of a streamed body: milliseconds after the head, and bytes.
        var _chunks: [[Double]]?
    }

    struct Pair: Codable, Hashable, Sendable {
        var name: String
        var value: String
    }

    struct Request: Codable, Sendable {
        var method: String
        var url: String
        var httpVersion: String
        var cookies = NoList()
        var headers: [Pair]
        var queryString: [Pair]
        var postData: PostData?
        var headersSize: Int
        var bodySize: Int
    }

    struct PostData: Codable, Sendable {
        var mimeType: String
        var text: String?
        var params: [Parameter]?
        /// `base64` where the text is.
        var _encoding: String?
    }

    struct Parameter: Codable, Sendable {
        var name: String
        var value: String?
    }

    struct Response: Codable, Sendable {
        var status: Int
        var statusText: String
        var httpVersion: String
        var cookies = NoList()
        var headers: [Pair]
        var content: Content
        var redirectURL: String
        var headersSize: Int
        var bodySize: Int
    }

    struct Content: Codable, Sendable {
        var size: Int
        var mimeType: String
        var text: String?
        var encoding: String?
    }

    /// Milliseconds; -1 where a phase does not apply.
    struct Timings: Codable, Sendable {
        var send: Double
        var wait: Double
        var receive: Double
    }

    /// Only its place: cookies are in the header fields, redacted there.
    struct NoList: Codable, Sendable {
        init() {}
        init(from decoder: any Decoder) {}
        func encode(to encoder: any Encoder) throws { _ = encoder.unkeyedContainer() }
    }

    /// Only its place: an object without members.
    struct Nothing: Codable, Sendable {
        init() {}
        init(from decoder: any Decoder) {}
        func encode(to encoder: any Encoder) throws { _ = encoder.container(keyedBy: NoKey.self) }

        private enum NoKey: CodingKey {}
    }
}

// Method, URL and status are what a replay cannot do without, and everything in a file that it uses must be of its type.
// The rest is as other tools have it: absent, null, of another type. Written again it is what the format asks for.

extension HAR.Log {
    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        version = try container.decode(String.self, forKey: .version)
        creator = (try? container.decode(HAR.Creator.self, forKey: .creator)) ?? HAR.Creator()
        entries = try container.decode([HAR.Entry].self, forKey: .entries)
    }
}

extension HAR.Entry {
    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        startedDateTime = container.lenient(.startedDateTime) ?? "1970-01-01T00:00:00.000Z"
        time = container.lenient(.time) ?? 0
        request = try container.decode(HAR.Request.self, forKey: .request)
        response = try container.decode(HAR.Response.self, forKey: .response)
        timings = container.lenient(.timings) ?? HAR.Timings(send: -1, wait: -1, receive: -1)
        _error = container.lenient(._error)
        _chunks = container.lenient(._chunks)
    }
}

extension HAR.Timings {
    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        send = container.lenient(.send) ?? -1
        wait = container.lenient(.wait) ?? -1
        receive = container.lenient(.receive) ?? -1
    }
}

extension HAR.Request {
    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        method = try container.decode(String.self, forKey: .method)
        url = try container.decode(String.self, forKey: .url)
        httpVersion = container.lenient(.httpVersion) ?? ""
        headers = try container.decodeIfPresent([HAR.Pair].self, forKey: .headers) ?? []
        queryString = container.lenient(.queryString) ?? []
        postData = try container.decodeIfPresent(HAR.PostData.self, forKey: .postData)
        headersSize = container.lenient(.headersSize) ?? -1
        bodySize = container.lenient(.bodySize) ?? -1
    }
}

extension HAR.PostData {
    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        mimeType = container.lenient(.mimeType) ?? ""
        text = try container.decodeIfPresent(String.self, forKey: .text)
        params = try container.decodeIfPresent([HAR.Parameter].self, forKey: .params)
        _encoding = try container.decodeIfPresent(String.self, forKey: ._encoding)
    }
}

extension HAR.Response {
    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        // As a number of any size: of one that is no Int the decoder says that the file is no JSON.
        guard let code: Int = try container.decode(JSON.Number.self, forKey: .status).exactly() else {
            throw DecodingError.dataCorruptedError(forKey: .status, in: container, debugDescription: "No status")
        }
        status = code
        statusText = container.lenient(.statusText) ?? ""
        httpVersion = container.lenient(.httpVersion) ?? ""
        headers = try container.decodeIfPresent([HAR.Pair].self, forKey: .headers) ?? []
        content =
            try container.decodeIfPresent(HAR.Content.self, forKey: .content) ?? HAR.Content(size: 0, mimeType: "")
        redirectURL = container.lenient(.redirectURL) ?? ""
        headersSize = container.lenient(.headersSize) ?? -1
        bodySize = container.lenient(.bodySize) ?? -1
    }
}

extension HAR.Content {
    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        size = container.lenient(.size) ?? 0
        mimeType = container.lenient(.mimeType) ?? ""
        text = try container.decodeIfPresent(String.self, forKey: .text)
        encoding = try container.decodeIfPresent(String.self, forKey: .encoding)
    }
}

extension KeyedDecodingContainer {
    /// A value that a replay does not need: nil also where it is of another type.
    fileprivate func lenient<Value: Decodable>(_ key: Key) -> Value? { try? decode(Value.self, forKey: key) }
}
