// A stand-in for SwiftUI with as much of it as FerryUI names, so that those files are typed where there is none.
// The declarations are SwiftUI's in name and type; nothing here works.
// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

@MainActor @preconcurrency
public protocol View {
    associatedtype Body: View
    @ViewBuilder var body: Self.Body { get }
}

extension Never: View {
    public var body: Never { fatalError("a stand-in has no content") }
}

@resultBuilder
public struct ViewBuilder {
    public static func buildExpression<Content: View>(_ content: Content) -> Content { content }
    public static func buildBlock() -> EmptyView { EmptyView() }
    public static func buildBlock<Content: View>(_ content: Content) -> Content { content }
    public static func buildIf<Content: View>(_ content: Content?) -> Content? { content }
    public static func buildEither<First: View, Second: View>(
        first: First
    ) -> ConditionalContent<First, Second> { ConditionalContent(isFirst: true) }
    public static func buildEither<First: View, Second: View>(
        second: Second
    ) -> ConditionalContent<First, Second> { ConditionalContent(isFirst: false) }
}

public struct ConditionalContent<First, Second>: View {
    private let isFirst: Bool
    fileprivate nonisolated init(isFirst: Bool) { self.isFirst = isFirst }
    public var body: Never { fatalError("a stand-in has no content") }
}

public struct EmptyView: View {
    public nonisolated init() {}
    public var body: Never { fatalError("a stand-in has no content") }
}

public struct Group<Content> {}

extension Group: View where Content: View {
    public init(@ViewBuilder content: () -> Content) {}
    public var body: Never { fatalError("a stand-in has no content") }
}

extension Optional: View where Wrapped: View {
    public var body: Never { fatalError("a stand-in has no content") }
}

@propertyWrapper
public struct State<Value> {
    public init(initialValue value: Value) { wrappedValue = value }
    public init(wrappedValue value: Value) { wrappedValue = value }
    public var wrappedValue: Value
}

extension View {
    public func task(
        priority: TaskPriority = .userInitiated, _ action: @escaping @MainActor @Sendable () async -> Void
    ) -> some View { self }
    public func onDisappear(perform action: (() -> Void)? = nil) -> some View { self }
    public func refreshable(action: @escaping @MainActor @Sendable () async -> Void) -> some View { self }
}
