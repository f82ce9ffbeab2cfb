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
        Iterator(events: events.makeAsyncIterator(), decoder: decoder, sentinel: sentinel.map { Data($0.utf8) })
    }

    /// Iterates over the values of `ServerSentEventValues`.
    public struct Iterator: AsyncIteratorProtocol {
        /// Nil after the end, so that the transfer is let go of.
        @usableFromInline var events: ServerSentEvents.Iterator?
        @usableFromInline let decoder: JSONDecoder
        @usableFromInline let sentinel: Data?
        @usableFromInline var index = 0

        fileprivate init(events: ServerSentEvents.Iterator, decoder: JSONDecoder, sentinel: Data?) {
            self.events = events
            self.decoder = decoder
            self.sentinel = sentinel
        }

        /// The next value, or nil at the end.
        ///
        /// - Throws: `NetworkError`; afterwards the sequence is finished.
        @inlinable
        public mutating func next() async throws(NetworkError) -> Value? { try await next(isolation: nil) }

        /// The next value, or nil at the end.
        ///
        /// - Throws: `NetworkError`; afterwards the sequence is finished.
        @inlinable
        public mutating func next(isolation actor: isolated (any Actor)?) async throws(NetworkError) -> Value? {
            do throws(NetworkError) {
                var data = events?.readyData()
                if data == nil { data = try await events?.nextData(isolation: actor) }
                guard let data, data != sentinel else {
                    events = nil
                    return nil
                }
                let value = try Self.decode(data, decoder, index)
                index += 1
                return value
            } catch {
                events = nil
                throw error
            }
        }

        // Static: called on the iterator it would copy the parser with each value.
        @inlinable
        static func decode(_ data: Data, _ decoder: JSONDecoder, _ index: Int) throws(NetworkError) -> Value {
            do {
                return try decoder.decode(Value.self, from: data)
            } catch {
                // Malformed UTF-8 becomes U+FFFD in an event's data (Encoding Standard, UTF-8 decode).
                let repaired = Data(String(decoding: data, as: UTF8.self).utf8)
                if repaired != data { return try decode(repaired, decoder, index) }
                throw .undecodable(
                    error, as: Value.self, name: "The data of event \(index)", place: "[\(index)]")
            }
        }
    }
}

@available(*, unavailable)
extension ServerSentEventValues.Iterator: Sendable {}
