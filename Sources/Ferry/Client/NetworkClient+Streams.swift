import Foundation
import Synchronization

/// Calls whose content is read while it arrives.
extension NetworkClient {
    /// Makes a call and hands out its content as it arrives.
    ///
    /// ```swift
    /// let response = try await client.stream(NetworkCall(.get, "/export.csv"))
    /// for try await chunk in response.body { try output.write(contentsOf: chunk) }
    /// ```
    ///
    /// Returns with the response's head. A failed attempt is repeated until then, as the retry policy says, and never once
    /// the head was handed out: a stream that breaks throws, and is not begun again unseen.
    ///
    /// - Returns: The accepted response. A response of another status is thrown with its content and never streamed.
    public nonisolated func stream(_ call: NetworkCall) async throws(NetworkError) -> StreamedResponse {
        try await stream(call, observer: nil)
    }

    /// Makes a streamed call that somebody listens to.
    nonisolated func stream(
        _ call: NetworkCall, observer: CallObserver?
    ) async throws(NetworkError) -> StreamedResponse {
        let context = try context(for: call, delivery: .streamed, id: observer?.id, sink: observer?.sink)
        var request: HTTPRequest?
        var response: HTTPResponse?
        do throws(NetworkError) {
            if Task.isCancelled { throw .cancelled }
            let built = try builder.request(for: call)
            request = built
            let answer = try await chain.send(built, context: context)
            response = answer
            let body = try await acceptStream(answer, of: call)
            let source = ReportingSource(body) { [self] error in
                finished(error, built, context)
            } report: { [self] error, isThrown in
                ended(context, built, answer, error, isThrown: isThrown)
            }
            return StreamedResponse(
                head: answer.head, body: ByteStream(source), redirects: answer.redirects, source: answer.source,
                age: answer.age)
        } catch {
            let error = finished(error, request, context)
            ended(context, request, response, error)
            throw error
        }
    }

    /// Makes a call that is described as a type and hands out its content as it arrives; its `Response` plays no part.
    public nonisolated func stream(_ api: some Api) async throws(NetworkError) -> StreamedResponse {
        try await stream(api.call)
    }

    /// The stream of an accepted response; another status is thrown with as much content as an error keeps.
    nonisolated func acceptStream(
        _ response: HTTPResponse, of call: NetworkCall
    ) async throws(NetworkError) -> ByteStream {
        let validation = call.validation ?? configuration.validation
        let contentTypes = call.contentTypes ?? configuration.contentTypes
        let decoder = call.decoder ?? configuration.decoder
        guard validation.accepts(response.status) == true else {
            let content = try await beginning(of: response, whole: validation.needsBody, call)
            try validation.validate(
                head: response.head, body: content, errorMessageKeyPath: configuration.errorMessageKeyPath,
                decoder: decoder)
            return ByteStream([content])
        }
        // The type can be judged before the content; whether there is any is not known yet, so the check assumes some.
        if let contentTypes {
            do throws(NetworkError) {
                try contentTypes.validate(head: response.head, body: Data([0]), decoder: decoder)
            } catch {
                let content = try await beginning(of: response, whole: false, call)
                try contentTypes.validate(head: response.head, body: content, decoder: decoder)
                // No content has no wrong type; the stream itself was read.
                return ByteStream([content])
            }
        }
        return switch response.body {
        case .stream(let stream): stream
        case .data(let data): ByteStream([data])
        }
    }

    /// The content, or as much of it as an error keeps.
    private nonisolated func beginning(
        of response: HTTPResponse, whole: Bool, _ call: NetworkCall
    ) async throws(NetworkError) -> Data {
        guard case .stream(let stream) = response.body, !whole else {
            return try await response.data(limit: (call.limits ?? configuration.limits).bufferedBody)
        }
        var content = Data()
        var chunks = stream.makeAsyncIterator()
        do throws(NetworkError) {
            while content.count <= NetworkError.bodyLimit, let chunk = try await chunks.next() { content.append(chunk) }
        } catch {
            // The status is what went wrong; a cut page of explanation changes nothing, unless the call is cancelled.
            if error.kind == .cancelled { throw error }
        }
        return content
    }
}
