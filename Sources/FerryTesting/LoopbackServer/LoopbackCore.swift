import Ferry
import Synchronization

/// What the loop's thread shares with the server and with the tasks of handlers.
final class LoopbackCore: Sendable {
    struct Limits: Sendable {
        var requestBody: Int
        var head: Int
    }

    /// Guards the routes: tests add some while requests are looked up.
    let routes = Mutex(RouteTable())
    /// Guards what happens to new connections, for the same reason.
    let connectionPolicy = Mutex<(@Sendable (Int) -> LoopbackServer.ConnectionAction)?>(nil)
    /// Guards the steps before every route, for the same reason.
    let middleware = Mutex<[@Sendable (LoopbackRequest, LoopbackServer.Next) async throws -> LoopbackResponse]>([])
    /// Guards what must come: tests add and read it from any thread.
    let expectations = Mutex<[LoopbackExpectation]>([])
    let recorder: LoopbackRecorder
    let mailbox: LoopbackMailbox
    let limits: Limits
    /// Opens when the loop has closed everything.
    let ended = Gate()

    init(recorder: LoopbackRecorder, mailbox: LoopbackMailbox, limits: Limits) {
        self.recorder = recorder
        self.mailbox = mailbox
        self.limits = limits
    }
}
