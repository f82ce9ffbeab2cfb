import Synchronization

/// Collects from any thread.
final class Collected<Element: Sendable>: Sendable {
    /// Guards the elements.
    private let elements = Mutex<[Element]>([])

    var all: [Element] { elements.withLock { $0 } }

    func add(_ element: Element) { elements.withLock { $0.append(element) } }
}
