import Foundation

/// One server-sent event (WHATWG HTML §9.2.6).
public struct ServerSentEvent: Hashable, Sendable {
    /// The event's type. Default: `message`, the type of events that name none.
    public var event: String
    /// The data; the lines of several data fields are joined with LF.
    public var data: String
    /// The last event ID that the server had set when the event was dispatched, by this event or an earlier one; empty
    /// where there was none.
    public var id: String
    /// The reconnection time that this event's block set, or nil.
    public var retry: Duration?

    /// Creates an event.
    ///
    /// - Parameters:
    ///   - event: The type. Default `message`.
    ///   - data: The data.
    ///   - id: The last event ID. Default empty.
    ///   - retry: The reconnection time. Default nil.
    public init(event: String = "message", data: String, id: String = "", retry: Duration? = nil) {
        self.event = event
        self.data = data
        self.id = id
        self.retry = retry
    }
}

extension ServerSentEvent: CustomStringConvertible, CustomReflectable {
    /// The name and the size, never the data.
    public var description: String { "event \(event.debugDescription), \(data.utf8.count) bytes" }

    /// What the description shows.
    public var customMirror: Mirror { Mirror(self, children: ["event": description]) }
}
