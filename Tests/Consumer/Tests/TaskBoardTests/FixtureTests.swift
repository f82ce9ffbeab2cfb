import Ferry
import FerryTesting
import Foundation
import TaskBoard
import Testing

/// The client in mock mode: each call brings its own answer, from the fixtures.
struct FixtureTests {
    private let board = TaskBoard(
        at: URL(string: "https://tasks.example"), saved: BearerCredential(accessToken: "t"),
        configure: {
            $0.mocking = .on(.bundle(.module, subdirectory: "Fixtures"))
            $0.clock = ManualClock(advancesItself: true)
            $0.timeouts = Timeouts(idle: nil)
        })

    @Test func task_isDecoded() async throws {
        let task = try await board.task(1)
        #expect(task.title == "Write it down")
        #expect(task.due == Date(timeIntervalSince1970: 1_801_396_800))
    }

    @Test func tasks_areUnwrapped() async throws {
        var titles: [String] = []
        for try await task in board.tasks(of: "home") { titles.append(task.title) }
        #expect(titles == ["Write it down", "Do it"])
    }

    @Test func add_givesTheTaskThatTheServerMade() async throws {
        let task = try await board.add("Rest", to: "home")
        #expect(task == BoardTask(id: 3, title: "Rest"))
    }

    @Test func changes_comeOneByOne() async throws {
        var changes = board.changes(of: "home").makeAsyncIterator()
        #expect(try await changes.next()?.kind == "added")
        #expect(try await changes.next()?.task.isDone == true)
    }

    @Test func missingFixture_isLoud() async throws {
        let error = await XCTAssertThrowsNetworkError(.mock) { try await board.task(99) }
        #expect(error?.message.contains("tasks/99.json") == true)
    }
}
