/// The events of one call, in order, for readers who come at any time: a pure value.
///
/// Bounded: of progress in a row only the first and the newest of each direction are kept, so that the log grows with
/// attempts and redirects alone. Nothing is taken after `finished`.
package struct CallEventLog: Sendable {
    /// What a reader gets.
    package enum Step: Sendable {
        /// An event, and the position to ask for the next one with.
        case event(CallEvent, position: UInt64)
        /// There is none after `finished`.
        case end
    }

    private struct Entry: Sendable {
        let position: UInt64
        let event: CallEvent
    }

    /// Whether events are kept once they were read: not where there is one reader and they hold data.
    private let keepsHistory: Bool
    private var filter = ProgressFilter()
    /// By position, ascending; positions may have gaps.
    private var entries: [Entry] = []
    private var last: UInt64 = 0
    private var taken: UInt64 = 0
    private(set) package var isFinished = false

    /// - Parameter keepsHistory: Whether every reader sees all from the start. Default true.
    package init(keepsHistory: Bool = true) { self.keepsHistory = keepsHistory }

    /// Takes an event that happens now.
    ///
    /// - Returns: The position of the newest event.
    @discardableResult
    package mutating func record(_ event: CallEvent, at now: Duration) -> UInt64 {
        guard !isFinished else { return last }
        for event in filter.pass(event, at: now) { append(event) }
        if case .finished = event { isFinished = true }
        return last
    }

    /// The first event after a position; nil where it is still to come.
    package mutating func next(after position: UInt64) -> Step? {
        taken = max(taken, position)
        if !keepsHistory, let first = entries.firstIndex(where: { $0.position > position }) ?? entriesEnd {
            entries.removeSubrange(..<first)
        }
        // A reader is mostly near the end.
        var index = entries.count
        while index > 0, entries[index - 1].position > position { index -= 1 }
        if index < entries.count {
            taken = max(taken, entries[index].position)
            return .event(entries[index].event, position: entries[index].position)
        }
        return isFinished ? .end : nil
    }

    /// Whether the event at a position was read.
    package func isTaken(_ position: UInt64) -> Bool { taken >= position }

    private var entriesEnd: Int? { entries.isEmpty ? nil : entries.count }

    private mutating func append(_ event: CallEvent) {
        if let index = replaced(by: event) { entries.remove(at: index) }
        last += 1
        entries.append(Entry(position: last, event: event))
    }

    /// The place of the progress that a newer one stands for: the newest of its direction at the end of the log, unless
    /// it is also the first there.
    private func replaced(by event: CallEvent) -> Int? {
        guard event.isProgress else { return nil }
        var newest: Int?
        for index in entries.indices.reversed() {
            switch (entries[index].event, event) {
            case (.sent, .sent), (.progress, .progress):
                if let newest { return newest }
                newest = index
            case (.sent, _), (.progress, _): continue
            default: return nil
            }
        }
        return nil
    }
}

extension CallEvent {
    /// Whether a newer event of its kind makes it obsolete.
    fileprivate var isProgress: Bool {
        switch self {
        case .sent, .progress: true
        default: false
        }
    }
}
