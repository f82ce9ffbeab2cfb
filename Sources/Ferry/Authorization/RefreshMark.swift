import Synchronization

/// Tells calls that a refresh makes from all others: task-local, so it goes with the refresh into child tasks.
///
/// It ends with the refresh, so that a task which the refresh left behind is authorized like any other.
final class RefreshMark: Sendable {
    @TaskLocal static var current: [RefreshMark] = []

    private let store: ObjectIdentifier
    private let isOver = Atomic(false)

    init(_ store: AnyObject) { self.store = ObjectIdentifier(store) }

    /// The marks of the refreshes that the current task belongs to.
    static var running: [RefreshMark] { current.filter { !$0.isOver.load(ordering: .acquiring) } }

    func end() { isOver.store(true, ordering: .releasing) }

    /// Whether the current task belongs to a running refresh of a store.
    static func isInside(_ store: AnyObject) -> Bool {
        current.isEmpty ? false : running.contains { $0.store == ObjectIdentifier(store) }
    }
}
