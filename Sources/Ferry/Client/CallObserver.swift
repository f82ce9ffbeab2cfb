/// Who listens to the events of a call.
struct CallObserver: Sendable {
    /// The number that the call is to have.
    let id: CallContext.ID
    /// Takes each event as it happens, on whatever thread it happens.
    let sink: @Sendable (CallEvent) -> Void
}
