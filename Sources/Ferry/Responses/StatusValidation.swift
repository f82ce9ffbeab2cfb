public import Foundation

/// Which responses a call accepts; any other is an error that keeps its status and content.
///
/// ```swift
/// call.validation = .statuses(200..<300)      // the default
/// call.validation = .statuses([200, 404])
/// call.validation = .custom { head, body in
///     if head.headers["X-Partial"] != nil { throw NetworkError(.validation, "The answer is partial") }
/// }
/// ```
///
/// The default accepts 200 to 299 (RFC 9110 §15.3). 304 Not Modified is no success: it answers a condition, and only
/// who set the condition knows what to do with it.
public struct StatusValidation: Sendable {
    private enum Rule: Sendable {
        case range(ClosedRange<Int>)
        case set(Set<HTTPStatus>)
        case any
        case custom(@Sendable (HTTPResponse.Head, Data) throws -> Void)
    }

    private let rule: Rule

    /// Accepts 200 to 299.
    public static let success = StatusValidation(rule: .range(200...299))

    /// Accepts every status.
    public static let any = StatusValidation(rule: .any)

    /// Accepts a range of codes, such as `200..<400`.
    public static func statuses(_ codes: Range<Int>) -> StatusValidation {
        codes.isEmpty ? statuses([]) : StatusValidation(rule: .range(codes.lowerBound...(codes.upperBound - 1)))
    }

    /// Accepts a range of codes, such as `200...299`.
    public static func statuses(_ codes: ClosedRange<Int>) -> StatusValidation {
        StatusValidation(rule: .range(codes))
    }

    /// Accepts these statuses, such as `[200, 404]`.
    public static func statuses(_ statuses: Set<HTTPStatus>) -> StatusValidation {
        StatusValidation(rule: .set(statuses))
    }

    /// Accepts what `check` does not throw for; it sees every response, of any status, with its content.
    ///
    /// - Parameter check: Throws to refuse. A `NetworkError` is thrown on as it is, with the response added where it
    ///   has none; any other error becomes the underlying error of one of kind `validation`.
    public static func custom(
        _ check: @escaping @Sendable (HTTPResponse.Head, Data) throws -> Void
    ) -> StatusValidation {
        StatusValidation(rule: .custom(check))
    }

    /// Whether the rule has to see the content, so that a stream would have to be collected first.
    package var needsBody: Bool { if case .custom = rule { true } else { false } }

    /// Whether the rule accepts a status; nil where it has to see the whole response.
    package func accepts(_ status: HTTPStatus) -> Bool? {
        switch rule {
        case .range(let codes): codes.contains(status.code)
        case .set(let statuses): statuses.contains(status)
        case .any: true
        case .custom: nil
        }
    }

    /// Checks a response.
    ///
    /// - Parameters:
    ///   - head: Its head.
    ///   - body: Its content.
    ///   - errorMessageKeyPath: Where an error response has the server's message.
    ///   - decoder: The client's decoder.
    /// - Throws: `NetworkError` of a kind by the status, of kind `validation`, or the check's own.
    package func validate(
        head: HTTPResponse.Head, body: Data, errorMessageKeyPath: JSONKeyPath?, decoder: JSONDecoder
    ) throws(NetworkError) {
        func errorResponse() -> NetworkError {
            ErrorResponse.error(head: head, body: body, errorMessageKeyPath: errorMessageKeyPath, decoder: decoder)
        }
        guard case .custom(let check) = rule else {
            guard accepts(head.status) == true else { throw errorResponse() }
            return
        }
        do {
            try check(head, body)
        } catch let error as NetworkError {
            guard error.response == nil else { throw error }
            throw error.with { details in
                let response = errorResponse().details
                details.response = response.response
                details.body = response.body
                details.isBodyTruncated = response.isBodyTruncated
                details.serverMessage = details.serverMessage ?? response.serverMessage
                details.problem = response.problem
                details.decoder = response.decoder
            }
        } catch {
            throw errorResponse().with {
                $0.kind = .validation
                $0.message = "The call's validation refused the response"
                $0.underlying = error
            }
        }
    }
}
