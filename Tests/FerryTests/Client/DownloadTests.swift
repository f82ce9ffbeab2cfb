import FerryTesting
import Foundation
import XCTest

@testable import Ferry

/// Downloads over real sockets: what is asked for, what is resumed, and how they end.
final class DownloadTests: DownloadTestCase {
    func testDownload_writesTheFileAndNothingElse() async throws {
        server.on(.get, "/file", .data(Data("content".utf8), contentType: .json))
        let file = try await client().downloadFile(call, to: target)
        XCTAssertEqual(try text(file.url), "content")
        XCTAssertEqual(file.size, 7)
        XCTAssertEqual(file.mediaType, .json)
        XCTAssertEqual(file.resumedFrom, 0)
        XCTAssertNil(file.sha256)
        XCTAssertEqual(try names(), ["file.bin"])
    }

    func testDWN01_rangeIgnored_isRewritten() async throws {
        let row = try ConformanceCase.load("DWN-01", area: "download")
        let body = try XCTUnwrap(row.input["response"]["body"].string)
        server.on(.get, "/file", .text(body))
        let client = client()
        try leavePartial(try XCTUnwrap(row.input["partial_on_disk"].string), ["ETag": "\"v1\""], client: client)
        let file = try await client.downloadFile(call, to: target)
        XCTAssertEqual("Range: \(server.requests[0].headers["Range"] ?? "")", row.input["request"].string)
        XCTAssertEqual(try text(file.url), row.expected["file"].string)
        XCTAssertEqual(try names(), ["file.bin"])
    }

    func testDWN02_partThatStartsElsewhere() async throws {
        let row = try ConformanceCase.load("DWN-02", area: "download")
        let full = try XCTUnwrap(row.input["full"].string)
        for response in row.input["responses"].array {
            let body = try XCTUnwrap(response["body"].string)
            let range = try XCTUnwrap(response["Content-Range"].string)
            server.on(.get, "/file") { request in
                guard request.headers.contains("Range") else { return .text(full) }
                return .text(body, status: .partialContent).header("Content-Range", range)
            }
            let client = client()
            try leavePartial(try XCTUnwrap(row.input["partial_on_disk"].string), ["ETag": "\"v1\""], client: client)
            let file = try await client.downloadFile(call, to: target)
            XCTAssertEqual(try text(file.url), full, range)
        }
    }

    func testDWN03_unsatisfiable_isCompleteOrOutdated() async throws {
        let row = try ConformanceCase.load("DWN-03", area: "download")
        let full = "0123456789"
        for (index, item) in row.input["cases"].array.enumerated() {
            let range = item["Content-Range"].string
            server.on(.get, "/file") { request in
                guard request.headers.contains("Range") else { return .text(full) }
                let error = LoopbackResponse.text("<h1>416</h1>", status: .rangeNotSatisfiable)
                return range.map { error.header("Content-Range", $0) } ?? error
            }
            let client = client()
            let local = String(repeating: full, count: 2).prefix(try XCTUnwrap(item["local"].int))
            try leavePartial(String(local), ["ETag": "\"v1\""], client: client)
            server.removeRequests()
            let file = try await client.downloadFile(call, to: target)
            XCTAssertEqual(try text(file.url), full, "\(index)")
            let isComplete = try XCTUnwrap(row.expected["results"][index].string).hasPrefix("complete")
            XCTAssertEqual(server.requestCount, isComplete ? 1 : 2, "\(index)")
        }
    }

    func testDWN06_shortPart_isContinued() async throws {
        let row = try ConformanceCase.load("DWN-06", area: "download")
        let response = row.input["response"]
        let short = try XCTUnwrap(response["body"].string)
        let range = try XCTUnwrap(response["Content-Range"].string)
        server.script(
            .get, "/file",
            [
                .text(short, status: .partialContent).header("Content-Range", range),
                .text("89", status: .partialContent).header("Content-Range", "bytes 8-9/10"),
            ])
        let client = client()
        try leavePartial(try XCTUnwrap(row.input["partial"].string), ["ETag": "\"v1\""], client: client)
        let file = try await client.downloadFile(call, to: target)
        XCTAssertEqual(server.requests.map { $0.headers["Range"] }, ["bytes=5-", "bytes=8-"])
        XCTAssertEqual(try text(file.url), "0123456789")
        XCTAssertEqual(file.resumedFrom, 5)
    }

    func testDWN09_asksForNoCoding_andResumesByRepresentationBytes() async throws {
        var generator = SeededGenerator(seed: 9)
        let source = RangeServer(generator.data(count: 600_000))
        server.on(.get, "/file") { request in
            if request.headers["Accept-Encoding"] != "identity" { return .gzip(source.content) }
            let response = source.answer(request)
            return source.asked.count == 1 ? response.cut(after: 400_000) : response
        }
        let client = client()
        let error = await failure { () throws(NetworkError) in try await client.downloadFile(call, to: target) }
        XCTAssertEqual(error?.kind, .connectionLost)
        let file = try await client.downloadFile(call, to: target)
        XCTAssertEqual(try Data(contentsOf: file.url), source.content)
        XCTAssertGreaterThan(file.resumedFrom, 0)
        XCTAssertEqual(server.requests.map { $0.headers["Accept-Encoding"] }, ["identity", "identity"])
    }

    func testDWN10_pauseAndResume_byRange() async throws {
        var generator = SeededGenerator(seed: 10)
        let source = RangeServer(generator.data(count: 1_000_000))
        let gate = Gate()
        server.on(.get, "/file") { request in
            let isFirst = source.asked.isEmpty
            _ = source.answer(request)
            let (status, headers, part) = source.plan(request)
            return LoopbackResponse.stream(contentLength: part.count) { writer in
                guard isFirst else { return try await writer.write(part) }
                try await writer.write(part.prefix(500_000))
                // Held until the client pauses: the rest of the first answer never comes.
                await writer.waitForDisconnect()
                gate.open()
            }.status(status).headers(headers)
        }
        var options = DownloadOptions()
        options.progressInterval = .zero
        let download = client().download(call, to: target, options: options)
        var finished: DownloadedFile?
        var last: Int64 = 0
        var resumer: Task<Void, Never>?
        for try await event in download {
            switch event {
            case .progress(let progress):
                XCTAssertGreaterThanOrEqual(progress.completed, last)
                last = progress.completed
                if last >= 200_000, resumer == nil {
                    download.pause()
                    XCTAssertTrue(download.isPaused)
                    resumer = Task {
                        await gate.wait()
                        download.resume()
                    }
                }
            case .finished(let file): finished = file
            }
        }
        await resumer?.value
        let file = try XCTUnwrap(finished)
        XCTAssertEqual(try Data(contentsOf: file.url), source.content)
        XCTAssertEqual(last, 1_000_000)
        XCTAssertEqual(source.asked.count, 2)
        let range = try XCTUnwrap(source.asked[1])
        let offset = try XCTUnwrap(Int(range.dropFirst(6).dropLast()))
        XCTAssertGreaterThanOrEqual(offset, 200_000)
        XCTAssertEqual(server.requests[1].headers["If-Range"], "\"v1\"")
        XCTAssertEqual(try names(), ["file.bin"])
    }

    func testPRG01_codedContent_hasNoTotal() async throws {
        let row = try ConformanceCase.load("PRG-01", area: "progress")
        let count = try XCTUnwrap(row.input["decoded_bytes"].int)
        server.on(.get, "/file", .gzip(Data(repeating: 7, count: count)).header("ETag", "\"v1\""))
        var last: TransferProgress?
        for try await event in client().download(call, to: target) {
            guard case .progress(let progress) = event else { continue }
            XCTAssertNil(progress.total)
            XCTAssertNil(progress.fraction)
            last = progress
        }
        XCTAssertEqual(last?.completed, Int64(try XCTUnwrap(row.expected["completed_at_end"].int)))
        XCTAssertEqual(try names(), ["file.bin"])
    }

    func testLostConnection_goesOnByRange_asThePolicySays() async throws {
        var generator = SeededGenerator(seed: 1)
        let source = RangeServer(generator.data(count: 900_000))
        server.on(.get, "/file") { request in
            let response = source.answer(request)
            return source.asked.count < 4 ? response.cut(after: 300_000) : response
        }
        let client = client { $0.retry = .constant(.zero, maxRetries: 3) }
        let file = try await client.downloadFile(call, to: target)
        XCTAssertEqual(try Data(contentsOf: file.url), source.content)
        XCTAssertEqual(source.asked.count, 4)
        let starts = source.asked.compactMap { $0.flatMap { Int($0.dropFirst(6).dropLast()) } }
        XCTAssertEqual(starts.count, 3)
        XCTAssertEqual(starts, starts.sorted())
        XCTAssertGreaterThan(starts[0], 290_000)
    }

    func testLostConnection_beyondThePolicy_keepsThePartial_andOnlyIfResumable() async throws {
        for (tag, left) in [("\"v1\"", 2), (nil, 0)] as [(String?, Int)] {
            let source = RangeServer(Data(repeating: 1, count: 300_000), tag: tag)
            server.on(.get, "/file") { source.answer($0).cut(after: 100_000) }
            let client = client { $0.retry = .constant(.zero, maxRetries: 1) }
            let error = await failure { () throws(NetworkError) in try await client.downloadFile(call, to: target) }
            XCTAssertEqual(error?.kind, .connectionLost)
            XCTAssertEqual(source.asked.count, 2)
            XCTAssertEqual(try names().count, left)
            try client.discardPartialDownload(call, to: target)
            XCTAssertEqual(try names(), [])
        }
    }

    func testLostConnection_withoutValidator_startsAgain() async throws {
        let source = RangeServer(Data("0123456789".utf8), tag: nil)
        server.on(.get, "/file") { request in
            let response = source.answer(request)
            return source.asked.count == 1 ? response.claiming(contentLength: 20) : response
        }
        let client = client { $0.retry = .constant(.zero, maxRetries: 1) }
        let file = try await client.downloadFile(call, to: target)
        XCTAssertEqual(try text(file.url), "0123456789")
        XCTAssertEqual(source.asked, [nil, nil])
    }

    func testErrorStatus_isThrown_andNoFile() async throws {
        server.on(.get, "/file", .text("gone", status: .notFound))
        let client = client()
        let error = await failure { () throws(NetworkError) in try await client.downloadFile(call, to: target) }
        XCTAssertEqual(error?.kind, .client)
        XCTAssertEqual(error?.body, Data("gone".utf8))
        XCTAssertEqual(try names(), [])
    }

    func testLeavingTheLoop_keepsThePartial_andTheNextGoesOn() async throws {
        var generator = SeededGenerator(seed: 2)
        let source = RangeServer(generator.data(count: 800_000))
        server.on(.get, "/file") { request in
            let isFirst = source.asked.isEmpty
            _ = source.answer(request)
            let (status, headers, part) = source.plan(request)
            return LoopbackResponse.stream(contentLength: part.count) { writer in
                try await writer.write(isFirst ? part.prefix(400_000) : part)
                if isFirst { await writer.waitForDisconnect() }
            }.status(status).headers(headers)
        }
        let ended = Collected<NetworkError.Kind?>()
        let client = client { $0.logHandler = { ended.add($0.error?.kind) } }
        for try await event in client.download(call, to: target, options: .init(progressInterval: .zero)) {
            if case .progress(let progress) = event, progress.completed >= 256 << 10 { break }
        }
        XCTAssertEqual(ended.all, [.cancelled])
        XCTAssertEqual(try names().count, 2)
        let file = try await client.downloadFile(call, to: target)
        XCTAssertGreaterThanOrEqual(file.resumedFrom, 256 << 10)
        XCTAssertEqual(source.asked.last ?? nil, "bytes=\(file.resumedFrom)-")
        XCTAssertEqual(try Data(contentsOf: file.url), source.content)
        XCTAssertEqual(ended.all, [.cancelled, nil])
    }

    func testCancel_isPrompt() async throws {
        server.on(.get, "/file", .stalled)
        let client = client()
        let (call, target) = (call, target)
        let task = Task { await failure { () throws(NetworkError) in try await client.downloadFile(call, to: target) } }
        await server.waitForRequests(1)
        task.cancel()
        let error = await task.value
        XCTAssertEqual(error?.kind, .cancelled)
        XCTAssertEqual(try names(), [])
    }

    func testCancel_whilePaused() async throws {
        server.on(.get, "/file", .text("content"))
        let download = client().download(call, to: target)
        download.pause()
        let task = Task { () -> NetworkError? in
            await failure { () throws(NetworkError) in for try await _ in download {} }
        }
        task.cancel()
        let error = await task.value
        XCTAssertEqual(error?.kind, .cancelled)
        XCTAssertEqual(try names(), [])
    }

    func testProgress_firstAndLast_andThrottledBetween() async throws {
        let content = Data(repeating: 1, count: 2_000_000)
        server.on(.get, "/file", .data(content))
        // A clock that stands still lets only the first and the last pass.
        let client = client { $0.clock = ManualClock() }
        var seen: [TransferProgress] = []
        for try await event in client.download(call, to: target) {
            if case .progress(let progress) = event { seen.append(progress) }
        }
        XCTAssertEqual(
            seen, [TransferProgress(completed: 0, total: 2_000_000), .init(completed: 2_000_000, total: 2_000_000)])
    }

    func testTwoAtOnce_doNotMix() async throws {
        var generator = SeededGenerator(seed: 3)
        let source = RangeServer(generator.data(count: 700_000))
        server.on(.get, "/file") { source.answer($0) }
        let client = client()
        let (call, target) = (call, target)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<4 { group.addTask { _ = try await client.downloadFile(call, to: target) } }
            try await group.waitForAll()
        }
        XCTAssertEqual(try Data(contentsOf: target), source.content)
        XCTAssertEqual(try names(), ["file.bin"])
    }

    func testRedirect_keepsTheRange() async throws {
        let source = RangeServer(Data("0123456789".utf8))
        server.on(.get, "/file", .redirect(to: "/moved/n.txt"))
        server.on(.get, "/moved/n.txt") { source.answer($0) }
        let client = client()
        try leavePartial("01234", ["ETag": "\"v1\""], client: client)
        let file = try await client.downloadFile(call, to: target)
        XCTAssertEqual(try text(file.url), "0123456789")
        XCTAssertEqual(source.asked, ["bytes=5-"])
        XCTAssertEqual(file.redirects.count, 1)
    }

    func testEmptyContent_makesAnEmptyFile() async throws {
        server.on(.get, "/file", .status(.noContent))
        let file = try await client().downloadFile(call, to: target)
        XCTAssertEqual(file.size, 0)
        XCTAssertEqual(try Data(contentsOf: file.url), Data())
    }
}
