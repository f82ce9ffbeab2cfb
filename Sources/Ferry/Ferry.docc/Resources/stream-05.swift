import Ferry

@MainActor
final class Conversation {
    private(set) var text = ""
    private let assistant: Assistant

    init(_ assistant: Assistant) { self.assistant = assistant }

    func ask(_ question: String) async {
        text = ""
        do {
            for try await piece in assistant.answer(to: question) { text += piece.text }
        } catch {
            text += " (cut off)"
        }
    }
}
