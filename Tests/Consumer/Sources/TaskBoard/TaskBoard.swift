import Ferry
import Foundation

/// A client of a small API, written by the guides alone: tokens that are renewed, retries, pages, server-sent events.
package struct TaskBoard: Sendable {
    package let session: CredentialStore<BearerAuthenticator>
    private let client: NetworkClient

    /// - Parameters:
    ///   - url: Where the API is.
    ///   - saved: The credential of the last launch; nil while nobody is signed in.
    ///   - save: Told each new credential.
    ///   - configure: Changes the client, for tests.
    package init(
        at url: URL?, saved: BearerCredential? = nil, save: (@Sendable (BearerCredential?) -> Void)? = nil,
        configure: (inout NetworkClient.Configuration) -> Void = { _ in }
    ) {
        let session = CredentialStore(bearer: saved, onChange: save) { old, context in
            let call = NetworkCall(
                .post, "/token",
                body: .form(["grant_type": "refresh_token", "refresh_token": old.refreshToken ?? ""]))
            let tokens = try await context.client.request(call, as: Tokens.self)
            return BearerCredential(
                accessToken: tokens.access_token, refreshToken: tokens.refresh_token,
                expiresAt: context.clock.date.addingTimeInterval(tokens.expires_in))
        }
        self.session = session
        client = NetworkClient(baseURL: url) {
            $0.authorization = .refreshing(session)
            $0.retry = .exponential(initial: .milliseconds(250), maxRetries: 3)
            $0.errorMessageKeyPath = "error.message"
            configure(&$0)
        }
    }

    package func signIn(_ user: String, password: String) async throws(NetworkError) {
        let call = NetworkCall(
            .post, "/token", body: .form(["grant_type": "password", "username": user, "password": password]))
        let tokens = try await client.request(call.authorization(.anonymous), as: Tokens.self)
        session.set(BearerCredential(accessToken: tokens.access_token, refreshToken: tokens.refresh_token))
    }

    package func task(_ id: Int) async throws(NetworkError) -> BoardTask { try await client.request(GetTask(id: id)) }

    package func add(_ title: String, to board: String) async throws(NetworkError) -> BoardTask {
        try await client.request(AddTask(board: board, title: title))
    }

    /// All tasks, page by page as they are asked for.
    package func tasks(of board: String) -> some AsyncSequence<BoardTask, NetworkError> & Sendable {
        client.items(ListTasks(board: board))
    }

    /// What happens on a board from now on; it reconnects by itself.
    package func changes(of board: String) -> some AsyncSequence<BoardChange, NetworkError> & Sendable {
        client.serverSentEvents(WatchBoard(board: board), as: BoardChange.self)
    }
}
