import Ferry
import XCTest

final class TokenBucketTests: XCTestCase {
    func testTake_spendsTheBurstThenKeepsToTheRate() {
        var bucket = TokenBucket(capacity: 3, interval: .milliseconds(100))
        for _ in 0..<3 { XCTAssertTrue(bucket.take(at: .zero)) }
        XCTAssertFalse(bucket.take(at: .zero))
        XCTAssertEqual(bucket.nextToken(at: .zero), .milliseconds(100))
        XCTAssertFalse(bucket.take(at: .milliseconds(99)))
        XCTAssertTrue(bucket.take(at: .milliseconds(100)))
        XCTAssertFalse(bucket.take(at: .milliseconds(100)))
        for _ in 0..<3 { XCTAssertTrue(bucket.take(at: .seconds(60))) }
        XCTAssertFalse(bucket.take(at: .seconds(60)), "never more than the capacity")
    }

    func testTake_losesNothingToRounding() {
        var bucket = TokenBucket(capacity: 1, interval: .nanoseconds(333_333_333))
        var now = Duration.zero
        for turn in 0..<10_000 {
            XCTAssertTrue(bucket.take(at: now), "turn \(turn)")
            now = bucket.nextToken(at: now) ?? .zero
        }
        XCTAssertEqual(now.seconds, 3333.33333, accuracy: 0.001)
    }

    func testTake_withoutRefillEnds() {
        var bucket = TokenBucket(capacity: 1, interval: nil)
        XCTAssertTrue(bucket.take(at: .zero))
        XCTAssertNil(bucket.nextToken(at: .zero))
        XCTAssertFalse(bucket.take(at: .seconds(1_000_000)))
        bucket.deposit(0.5, at: .zero)
        XCTAssertFalse(bucket.take(at: .zero))
        bucket.deposit(0.5, at: .zero)
        XCTAssertTrue(bucket.take(at: .zero))
    }

    func testTake_isNotFooledByTimeThatGoesBack() {
        var bucket = TokenBucket(capacity: 1, interval: .seconds(1))
        XCTAssertTrue(bucket.take(at: .seconds(10)))
        XCTAssertFalse(bucket.take(at: .seconds(5)))
        XCTAssertFalse(bucket.take(at: .seconds(10)))
        XCTAssertTrue(bucket.take(at: .seconds(11)))
    }
}
