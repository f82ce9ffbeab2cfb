public import Foundation

extension ServerSentEvents {
    /// The data of each event, decoded as JSON.
    ///
    /// ```swift
    /// for try await chunk in events.decode(as: ChatChunk.self, until: "[DONE]") { print(chunk.text) }
    /// ```
    ///
    /// - Parameters:
    ///   - type: What to decode; inferred where possible.
    ///   - decoder: Default: a plain one.
    ///   - sentinel: Data that means the end: the sequence ends there, and the transfer with it, without decoding it.
    ///     Default nil: none.
    /// - Returns: A sequence that throws what the events throw, and `NetworkError` of kind `decoding` for data that
    ///   are not a `Value`, with the event's index from 0 in its `codingPath`.
    public func decode<Value: Decodable & Sendable>(
        as type: Value.Type = Value.self, decoder: JSONDecoder = JSONDecoder(), until sentinel: String? = nil
    ) -> ServerSentEventValues<Value> {
        ServerSentEventValues(events: self, decoder: decoder, sentinel: sentinel)
    }
}

/// The data of server-sent events, decoded as JSON. Made with `ServerSentEvents.decode(as:decoder:until:)`.
public struct ServerSentEventValues<Value: Decodable & Sendable>: AsyncSequence, Sendable {
    /// The decoded data of one event.
    public typealias Element = Value
    /// Every failure is a `NetworkError`.
    public typealias Failure = NetworkError

    fileprivate let events: ServerSentEvents
    fileprivate let decoder: JSONDecoder
    fileprivate let sentinel: String?

    /// Iterates over the values.
    public func makeAsyncIterator() -> Iterator {
        Iterator(events: events.makeAsyncIterator(), decoder: decoder, sentinel: sentinel)
    }

    /// Iterates over the values of `ServerSentEventValues`.
    public struct Iterator: AsyncIteratorProtocol {
        /// Nil after the end, so that the transfer is let go of.
        private var events: ServerSentEvents.Iterator?
        private let decoder: JSONDecoder
        private let sentinel: String?
        private var index = 0

        fileprivate init(events: ServerSentEvents.Iterator, decoder: JSONDecoder, sentinel: String?) {
            self.events = events
            self.decoder = decoder
            self.sentinel = sentinel
        }

        /// The next value, or nil at the end.
        ///
        /// - Throws: `NetworkError`; afterwards the sequence is finished.
        public mutating func next() async throws(NetworkError) -> Value? { try await next(isolation: nil) }

        /// The next value, or nil at the end.
        ///
        /// - Throws: `NetworkError`; afterwards the sequence is finished.
        public mutating func next(isolation actor: isolated (any Actor)?) async throws(NetworkError) -> Value? {
            do throws(NetworkError) {
                guard let event = try await events?.next(isolation: actor), event.data != sentinel else {
                    events = nil
                    return nil
                }
                let value = try decoder.decodeElement(
                    Value.self, from: Data(event.data.utf8), name: "The data of event \(index)", place: "[\(index)]")
                index += 1
                return value
            } catch {
                events = nil
                throw error
            }
        }
    }
}

@available(*, unavailable)
extension ServerSentEventValues.Iterator: Sendable {}
