package import Foundation

/// Makes the error of a response that a call does not accept.
package enum ErrorResponse {
    /// The error, of a kind by the status: `authentication` for 401 and 403, `client`, `server`, else `status`.
    ///
    /// It keeps the head and at most `NetworkError.bodyLimit` bytes of the content. The server's message is the value
    /// at `errorMessageKeyPath`, where the content is JSON and has a text, a number, or an array of these (joined by
    /// ", ") there; else the detail or the title of problem details (RFC 9457); never one that is blank.
    ///
    /// - Parameters:
    ///   - head: The response's head.
    ///   - body: Its content; content that is not JSON gives no message, and no other error.
    ///   - errorMessageKeyPath: Where the server's message is. Default nil.
    ///   - decoder: The client's decoder, which `NetworkError.decode(as:)` uses.
    package static func error(
        head: HTTPResponse.Head, body: Data, errorMessageKeyPath: JSONKeyPath? = nil, decoder: JSONDecoder
    ) -> NetworkError {
        let problem = head.contentType?.essence == MediaType.problem.essence ? problem(in: body) : nil
        let message = errorMessageKeyPath.flatMap { text(at: $0, in: body, decoder: decoder) }
        return NetworkError(kind(of: head.status), "The server answered \(head.status)").with {
            $0.keep(head: head, body: body, decoder: decoder)
            $0.problem = problem
            $0.serverMessage = message ?? [problem?.detail, problem?.title].compactMap(\.self).first { !isBlank($0) }
        }
    }

    private static func kind(of status: HTTPStatus) -> NetworkError.Kind {
        switch status.category {
        case .clientError: status == .unauthorized || status == .forbidden ? .authentication : .client
        case .serverError: .server
        default: .status
        }
    }

    private static func problem(in body: Data) -> ProblemDetails? {
        // The members' names are the standard's: a client's key strategy does not apply.
        try? JSONDecoder().decode(ProblemDetails.self, from: body)
    }

    private static func text(at path: JSONKeyPath, in body: Data, decoder: JSONDecoder) -> String? {
        guard let value = try? ResponseDecoder.unwrap(JSON.self, at: path, in: body, decoder: decoder) else {
            return nil
        }
        let text =
            switch value {
            case .array(let elements): elements.compactMap(scalar).joined(separator: ", ")
            default: scalar(value) ?? ""
            }
        return isBlank(text) ? nil : text
    }

    private static func isBlank(_ text: String) -> Bool { text.allSatisfy(\.isWhitespace) }

    private static func scalar(_ value: JSON) -> String? {
        switch value {
        case .string(let text): text
        case .number(let number): number.description
        default: nil
        }
    }
}

extension NetworkError.Details {
    /// Keeps what an error tells of a response, its content within the limit.
    mutating func keep(head: HTTPResponse.Head, body: Data, decoder: JSONDecoder?) {
        response = head
        isBodyTruncated = body.count > NetworkError.bodyLimit
        // A copy of the part: a slice would keep the whole content alive.
        self.body = isBodyTruncated ? Data(body.prefix(NetworkError.bodyLimit)) : body
        self.decoder = decoder
    }
}
