import Ferry

@MainActor
final class Conversation {
    private(set) var text = ""
    private(set) var problem: String?
    private let assistant: Assistant

    init(_ assistant: Assistant) { self.assistant = assistant }

    func ask(_ question: String) async {
        text = ""
        problem = nil
        do throws(NetworkError) {
            for try await piece in assistant.answer(to: question) { text += piece.text }
        } catch {
            // What has arrived stays on the screen.
            if !error.isCancelled { problem = error.serverMessage ?? error.message }
        }
    }
}
