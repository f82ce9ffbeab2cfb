#if os(Linux)
    import CFerryCurl
    import Foundation
    import XCTest

    @testable import FerryCurl

    final class CurlMailboxTests: XCTestCase {
        /// How often the descriptor was written to since the last look.
        private func wakeUps(_ mailbox: CurlMailbox) -> UInt64 {
            var count: UInt64 = 0
            return read(mailbox.wakeup, &count, 8) == 8 ? count : 0
        }

        func testPost_wakesOnceAndOnlyWhatSleeps() throws {
            let mailbox = try CurlMailbox()
            XCTAssertTrue(mailbox.post(.finish))
            XCTAssertEqual(wakeUps(mailbox), 0, "nobody sleeps")
            XCTAssertFalse(mailbox.sleeps(), "there is a command")
            XCTAssertEqual(mailbox.take().count, 1)
            XCTAssertTrue(mailbox.sleeps())
            mailbox.post(.finish)
            mailbox.post(.finish)
            mailbox.wake()
            XCTAssertEqual(wakeUps(mailbox), 1)
            XCTAssertEqual(mailbox.take().count, 2)
            mailbox.wake()
            XCTAssertEqual(wakeUps(mailbox), 0)
        }

        func testClose_refusesCommandsAndGivesThoseLeft() throws {
            let mailbox = try CurlMailbox()
            mailbox.post(.finish)
            XCTAssertEqual(mailbox.close().count, 1)
            XCTAssertFalse(mailbox.post(.finish))
        }

        func testTurn_isOneThreadsAndRefusedToItInACallback() {
            let turn = CurlTurn()
            XCTAssertFalse(turn.isMine)
            XCTAssertTrue(turn.tryBegin())
            XCTAssertTrue(turn.isMine)
            XCTAssertFalse(turn.tryBegin())
            let elsewhere = DispatchSemaphore(value: 0)
            Thread.detachNewThread {
                XCTAssertFalse(turn.isMine)
                XCTAssertFalse(turn.tryBegin())
                elsewhere.signal()
            }
            elsewhere.wait()
            turn.end()
            XCTAssertFalse(turn.isMine)
            XCTAssertTrue(turn.tryBegin())
            turn.end()
        }
    }
#endif
