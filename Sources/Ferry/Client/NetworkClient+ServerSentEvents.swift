import Foundation

/// Server-sent events (WHATWG HTML §9.2).
extension NetworkClient {
    /// The events of a server, over as many connections as it takes.
    ///
    /// ```swift
    /// for try await event in client.serverSentEvents(NetworkCall(.get, "/updates")) { show(event.data) }
    /// ```
    ///
    /// Nothing is sent before the first `next`, and each loop is a session of its own. Requests carry
    /// `Accept: text/event-stream` and `Cache-Control: no-store` unless the call has such fields.
    ///
    /// A GET is asked again when its response ends or is cut, with `Last-Event-ID` where there is an ID, after the time that
    /// the server set. Each connection is a call with its retry policy; one that fails for good counts as a failure in
    /// a row. 204 ends the sequence; another status is thrown with its content, and so is a 200 of another content type than
    /// `text/event-stream`. Any other method is sent once: the end of its response is the end.
    ///
    /// - Parameters:
    ///   - call: The call.
    ///   - reconnection: How a GET reconnects; nil not at all. Default: as the standard has it, up to 5 failures in a row.
    ///   - lastEventID: The ID to begin with, such as one kept from an earlier session. Default empty: that of the call's
    ///     `Last-Event-ID` field, if it has one.
    ///   - maxEventSize: Largest event in bytes; a larger one throws `bodyTooLarge`. Default 16 MiB.
    public nonisolated func serverSentEvents(
        _ call: NetworkCall, reconnection: ServerSentEventReconnection? = .standard, lastEventID: String = "",
        maxEventSize: Int = ServerSentEventParser.defaultMaxEventSize
    ) -> ServerSentEvents {
        var call = call
        if !call.headers.contains("Accept") { call.headers["Accept"] = MediaType.eventStream.essence }
        if !call.headers.contains("Cache-Control") { call.headers["Cache-Control"] = "no-store" }
        // What comes is judged by the stream of events itself, whatever the client expects elsewhere.
        call.contentTypes = .types([MediaType("*/*")].compactMap(\.self))
        // One among the header fields is a first ID too: it must not come back where the server has reset or replaced it.
        let firstID = lastEventID.isEmpty ? call.headers["Last-Event-ID"] ?? "" : lastEventID
        call.headers["Last-Event-ID"] = nil
        let isRepeatable = call.method == .get
        let connected = call
        return ServerSentEvents(
            reconnection: isRepeatable ? reconnection : nil, lastEventID: firstID, maxEventSize: maxEventSize,
            clock: configuration.clock
        ) { id throws(NetworkError) in
            var call = connected
            // A server may set an ID that no field can carry: better asked without one than never again.
            if let id, FieldSyntax.isFieldValue(id) { call.headers["Last-Event-ID"] = id }
            let response = try await self.stream(call)
            return HTTPResponse(
                head: response.head, body: .stream(response.body), source: response.source,
                redirects: response.redirects)
        }
    }

    /// The events of a server, over as many connections as it takes.
    ///
    /// - Parameters:
    ///   - api: The call; its `Response` plays no part.
    ///   - reconnection: How a GET reconnects; nil not at all. Default: as the standard has it, up to 5 failures in a row.
    ///   - lastEventID: The ID to begin with. Default empty: none.
    ///   - maxEventSize: Largest event in bytes; a larger one throws `bodyTooLarge`. Default 16 MiB.
    public nonisolated func serverSentEvents(
        _ api: some Api, reconnection: ServerSentEventReconnection? = .standard, lastEventID: String = "",
        maxEventSize: Int = ServerSentEventParser.defaultMaxEventSize
    ) -> ServerSentEvents {
        serverSentEvents(
            api.call, reconnection: reconnection, lastEventID: lastEventID, maxEventSize: maxEventSize)
    }

    /// The data of a server's events, decoded as JSON with the decoder of the call.
    ///
    /// - Parameters:
    ///   - call: The call.
    ///   - type: What the data of each event is.
    ///   - sentinel: Data that means the end, such as `[DONE]`: the sequence ends there, and the transfer with it. Default
    ///     nil: none.
    ///   - reconnection: How a GET reconnects; nil not at all. Default: as the standard has it, up to 5 failures in a row.
    public nonisolated func serverSentEvents<Value: Decodable & Sendable>(
        _ call: NetworkCall, as type: Value.Type, until sentinel: String? = nil,
        reconnection: ServerSentEventReconnection? = .standard
    ) -> ServerSentEventValues<Value> {
        serverSentEvents(call, reconnection: reconnection)
            .decode(as: type, decoder: decoder(of: call), until: sentinel)
    }

    /// The data of a server's events, decoded as JSON with the decoder of the call.
    ///
    /// - Parameters:
    ///   - api: The call; its `Response` plays no part.
    ///   - type: What the data of each event is.
    ///   - sentinel: Data that means the end, such as `[DONE]`. Default nil: none.
    ///   - reconnection: How a GET reconnects; nil not at all. Default: as the standard has it, up to 5 failures in a row.
    public nonisolated func serverSentEvents<Value: Decodable & Sendable>(
        _ api: some Api, as type: Value.Type, until sentinel: String? = nil,
        reconnection: ServerSentEventReconnection? = .standard
    ) -> ServerSentEventValues<Value> {
        serverSentEvents(api.call, as: type, until: sentinel, reconnection: reconnection)
    }
}
