#if canImport(SwiftUI)
    public import Ferry
    public import SwiftUI

    /// Shows a load: what to see while it is under way, what it gave, and what went wrong.
    ///
    /// ```
    /// NetworkView(CallModel(client, GetUser(id: 1))) { user in
    ///     Text(user.name)
    /// } loading: {
    ///     ProgressView()
    /// } failure: { error, reload in
    ///     Button(error.message, action: reload)
    /// }
    /// ```
    ///
    /// It loads when it appears, unless there is a value already, and cancels when it disappears. While a value is loaded
    /// again, the one before is shown, where the model keeps it.
    public struct NetworkView<Value: Sendable, Content: View, Loading: View, Failure: View>: View {
        @State private var model: CallModel<Value>
        private let content: (Value) -> Content
        private let loading: () -> Loading
        private let failure: (NetworkError, @escaping @MainActor () -> Void) -> Failure

        /// Creates a view.
        ///
        /// - Parameters:
        ///   - model: The load; keep it to reload from elsewhere.
        ///   - content: Shows the value.
        ///   - loading: Shows that there is no value yet.
        ///   - failure: Shows an error; its second parameter loads again.
        public init(
            _ model: CallModel<Value>, @ViewBuilder content: @escaping (Value) -> Content,
            @ViewBuilder loading: @escaping () -> Loading,
            @ViewBuilder failure: @escaping (NetworkError, @escaping @MainActor () -> Void) -> Failure
        ) {
            _model = State(initialValue: model)
            self.content = content
            self.loading = loading
            self.failure = failure
        }

        /// The view of the load's state.
        public var body: some View {
            Group {
                if let value = model.value {
                    content(value)
                } else if let error = model.error {
                    failure(error) { [model] in Task { await model.reload() } }
                } else {
                    loading()
                }
            }
            // Begins when the view appears; its task is cancelled when it disappears, and the load with it.
            .task { if model.value == nil { await model.load() } }
            .onDisappear { model.cancel() }
            .refreshable { await model.reload() }
        }
    }
#endif
