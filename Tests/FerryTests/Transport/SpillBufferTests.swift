import FerryTesting
import Foundation
import XCTest

@testable import Ferry

final class SpillBufferTests: XCTestCase {
    func testOrder_isKeptAcrossMemoryAndFile() throws {
        var buffer = SpillBuffer(memoryLimit: 10, overflow: 100)
        for text in ["0123456789", "abcdef", "ghi"] { try buffer.append(Data(text.utf8)) }
        XCTAssertEqual(buffer.memoryBytes, 10)
        XCTAssertEqual(buffer.fileBytes, 9)
        XCTAssertEqual(try drain(&buffer), "0123456789abcdefghi")
        XCTAssertTrue(buffer.isEmpty)
    }

    func testMemory_isUsedAgainOnceTheFileIsDrained() throws {
        var buffer = SpillBuffer(memoryLimit: 4, overflow: 100)
        try buffer.append(Data("abcd".utf8))
        try buffer.append(Data("efgh".utf8))
        XCTAssertEqual(try drain(&buffer), "abcdefgh")
        try buffer.append(Data("ij".utf8))
        XCTAssertEqual(buffer.memoryBytes, 2)
        XCTAssertEqual(buffer.fileBytes, 0)
    }

    func testLaterBytes_followIntoTheFileWhileOlderOnesWaitThere() throws {
        var buffer = SpillBuffer(memoryLimit: 4, overflow: 100)
        try buffer.append(Data("abcd".utf8))
        try buffer.append(Data("efgh".utf8))
        XCTAssertEqual(try buffer.pop(), Data("abcd".utf8))
        try buffer.append(Data("i".utf8))
        XCTAssertEqual(buffer.memoryBytes, 0, "there is room in memory, but older bytes wait in the file")
        XCTAssertEqual(try drain(&buffer), "efghi")
    }

    func testOverflow_isAnErrorThatLosesNothingThatWaits() throws {
        var buffer = SpillBuffer(memoryLimit: 2, overflow: 4)
        try buffer.append(Data("ab".utf8))
        try buffer.append(Data("cdef".utf8))
        XCTAssertThrowsError(try buffer.append(Data("g".utf8))) {
            XCTAssertEqual(($0 as? NetworkError)?.kind, .bodyTooLarge)
        }
        XCTAssertEqual(try drain(&buffer), "abcdef")
    }

    func testOverflow_countsWhatWaitsAndNotWhatWasTaken() throws {
        var buffer = SpillBuffer(memoryLimit: 0, overflow: 4)
        var taken = ""
        for text in ["abc", "def", "ghi", "jkl"] {
            try buffer.append(Data(text.utf8))
            taken += try drain(&buffer)
        }
        XCTAssertEqual(taken, "abcdefghijkl")
    }

    /// Random appends and pops against a plain array, with a ring so small that it wraps all the time.
    func testRandomUse_agreesWithAPlainArray() throws {
        var generator = SeededGenerator(seed: 7)
        for _ in 0..<200 {
            var buffer = SpillBuffer(
                memoryLimit: Int.random(in: 0...8, using: &generator), overflow: .random(in: 1...24, using: &generator))
            var model: [UInt8] = []
            var next: UInt8 = 0
            for _ in 0..<200 {
                if Bool.random(using: &generator) {
                    let bytes = (0..<Int.random(in: 0...6, using: &generator)).map { _ -> UInt8 in
                        next &+= 1
                        return next
                    }
                    if (try? buffer.append(Data(bytes))) != nil { model += bytes }
                } else if let data = try buffer.pop() {
                    XCTAssertFalse(data.isEmpty)
                    XCTAssertEqual(Array(data), Array(model.prefix(data.count)))
                    model.removeFirst(data.count)
                } else {
                    XCTAssertTrue(model.isEmpty)
                }
                XCTAssertEqual(Int64(buffer.memoryBytes) + buffer.fileBytes, Int64(model.count))
            }
        }
    }

    private func drain(_ buffer: inout SpillBuffer) throws -> String {
        var all = Data()
        while let data = try buffer.pop() { all.append(data) }
        return String(decoding: all, as: UTF8.self)
    }
}
