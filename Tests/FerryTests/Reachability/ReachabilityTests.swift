import Ferry
import FerryTesting
import Foundation
import Synchronization
import XCTest

final class ReachabilityTests: XCTestCase {
    private let up = NetworkStatus.reachable(NetworkPath(interfaces: [.wifi]))

    private func status(_ word: String) -> NetworkStatus { word == "up" ? up : .unreachable }

    func testRCH01_statusIsUnknownAtFirst_andBlocksNothing() async throws {
        let row = try ConformanceCase.load("RCH-01", area: "reachability")
        XCTAssertEqual(row.expected["requests_blocked"].bool, false)
        let source = ScriptedStatus()
        let monitor = ReachabilityMonitor(source)
        XCTAssertEqual(monitor.status, .unknown)
        source.report(.unreachable)
        XCTAssertEqual(monitor.status, .unreachable)

        let transport = MockTransport.answering { _ in .text("ok") }
        let client = try NetworkClient.scripted(transport) {
            $0.retry = RetryPolicy.exponential().waitingUntilReachable(monitor)
        }
        let result = await client.text(NetworkCall(.get, "/"))
        XCTAssertEqual(result.value, "ok", "A call that the hint says is hopeless is made all the same")
    }

    func testRCH03_eachSubscriberGetsDistinctChanges_theCurrentFirst() async throws {
        let row = try ConformanceCase.load("RCH-03", area: "reachability")
        let network = FakeReachability()
        let count = row.input["subscribers"].int ?? 0
        let expected = row.expected["each_receives"].strings.map(status)
        let subscriptions = (0..<count).map { _ in network.updates }
        for word in row.input["source"].strings { network.set(status(word)) }
        for updates in subscriptions {
            var seen: [NetworkStatus] = []
            for await status in updates {
                seen.append(status)
                if seen.count == expected.count { break }
            }
            XCTAssertEqual(seen, expected)
        }
        var late = network.updates.makeAsyncIterator()
        let first = await late.next()
        XCTAssertEqual(first, up)
        network.set(up)
        network.set(.unreachable)
        let second = await late.next()
        XCTAssertEqual(second, .unreachable)
    }

    func testUpdates_endWithTheirLoopAndWithTheMonitor() async {
        let network = FakeReachability(.unreachable)
        for await _ in network.updates { break }
        await waitUntil { network.subscriberCount == 0 }

        let source = ScriptedStatus()
        let monitor = ReachabilityMonitor(source)
        source.report(up)
        let updates = monitor.updates
        monitor.stop()
        monitor.stop()
        source.report(.unreachable)
        var seen: [NetworkStatus] = []
        for await status in updates { seen.append(status) }
        XCTAssertEqual(seen, [up])
        XCTAssertEqual(source.stops, 2)
    }

    func testMonitor_stopsWithItsOwner() {
        let source = ScriptedStatus()
        do { _ = ReachabilityMonitor(source) }
        XCTAssertEqual(source.stops, 1)
    }

    func testWait_endsWhenTheNetworkIsBack_andWithItsTask() async throws {
        let network = FakeReachability(.unreachable)
        let waiting = Task { try await network.waitUntilReachable() }
        await waitUntil { network.subscriberCount == 1 }
        network.set(up)
        try await waiting.value
        network.set(.unreachable)
        let cancelled = Task { try await network.waitUntilReachable() }
        await waitUntil { network.subscriberCount == 1 }
        cancelled.cancel()
        do {
            try await cancelled.value
            XCTFail("Not cancelled")
        } catch { XCTAssertTrue(error is CancellationError) }
    }

    func testRetry_waitsForTheMonitor() async throws {
        let network = FakeReachability(.unreachable)
        let attempts = Mutex(0)
        let transport = MockTransport.answering { _ in
            let attempt = attempts.withLock { attempts in
                attempts += 1
                return attempts
            }
            if attempt == 1 { throw NetworkError(.offline, "no network") }
            return .text("ok")
        }
        let client = try NetworkClient.scripted(transport) {
            $0.retry = RetryPolicy.exponential().waitingUntilReachable(network)
        }
        let call = Task { await client.text(NetworkCall(.get, "/")) }
        await waitUntil { network.subscriberCount == 1 }
        network.set(up)
        let result = await call.value
        XCTAssertEqual(result.value, "ok")
        XCTAssertEqual(attempts.withLock { $0 }, 2)
    }

    func testKernelRoutes_tellWhetherThereIsAWayOut() {
        let header = "Iface\tDestination\tGateway \tFlags\tRefCnt\tUse\tMetric\tMask\t\tMTU\tWindow\tIRTT\n"
        let wlan = "wlp2s0\t00000000\t0100A8C0\t0003\t0\t0\t600\t00000000\t0\t0\t0\n"
        let lan = "eth0\t0000A8C0\t00000000\t0001\t0\t0\t100\t00FFFFFF\t0\t0\t0\n"
        let down = "eth0\t00000000\t0100A8C0\t0002\t0\t0\t100\t00000000\t0\t0\t0\n"
        let zeros = String(repeating: "0", count: 32)
        let six = "\(zeros) 00 \(zeros) 00 fe800000000000000000000000000001 00000400 00000001 00000000 00000003 wwan0\n"
        let reject = "\(zeros) 00 \(zeros) 00 \(zeros) ffffffff 00000001 00000000 00200200     lo\n"
        let rows: [(String, String, up: Set<String>, all: Set<String>, NetworkStatus)] = [
            (header + wlan, reject, ["wlp2s0"], ["wlp2s0", "eth0"], up),
            (header + wlan, "", [], ["wlp2s0"], .unreachable),
            (header + lan, reject, ["eth0"], ["eth0"], .unreachable),
            (header + down, "", ["eth0"], ["eth0"], .unreachable),
            (
                header + lan, six + reject, ["eth0", "wwan0"], ["eth0", "wwan0"],
                .reachable(NetworkPath(interfaces: [.cellular], isExpensive: true))
            ),
            (
                header + wlan + wlan.replacing("wlp2s0", with: "enp1s0"), "", ["wlp2s0", "enp1s0"],
                ["wlp2s0", "enp1s0"], .reachable(NetworkPath(interfaces: [.wifi, .wired]))
            ),
            (header, reject, [], [], .unknown),
            ("", "", [], [], .unknown),
            ("garbage\nmore garbage\t", "00 00\n\n", ["a"], ["a"], .unreachable),
        ]
        for (index, (ipv4, ipv6, up, all, expected)) in rows.enumerated() {
            XCTAssertEqual(
                KernelRoutes(ipv4: ipv4, ipv6: ipv6).status(up: up, all: all), expected, "row \(index)")
        }
    }

    #if os(Linux)
        func testSystemMonitor_leavesNoThreadAndNoDescriptor() async throws {
            @Sendable func threads() -> Int {
                let tasks = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/task")) ?? []
                return tasks.filter {
                    let name = FileManager.default.contents(atPath: "/proc/self/task/\($0)/comm") ?? Data()
                    return String(decoding: name, as: UTF8.self).hasPrefix("ferry.reach")
                }.count
            }
            @Sendable func pipesAndSockets() -> Int {
                let all = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")) ?? []
                return all.filter {
                    let target = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\($0)"))
                    return target?.hasPrefix("pipe:") == true || target?.hasPrefix("socket:") == true
                }.count
            }
            let before = pipesAndSockets()
            var monitors = (0..<40).map { _ in ReachabilityMonitor() }
            for monitor in monitors { _ = monitor.status }
            let during = pipesAndSockets()
            if during == before { throw XCTSkip("No rtnetlink here") }
            for monitor in monitors.prefix(20) { monitor.stop() }
            monitors = []
            await waitUntil { threads() == 0 && pipesAndSockets() <= before }
        }
    #endif
}

private final class ScriptedStatus: StatusSource {
    private struct State {
        var report: (@Sendable (NetworkStatus) -> Void)?
        var stops = 0
    }

    private let state = Mutex(State())

    var stops: Int { state.withLock { $0.stops } }
    func start(_ report: @escaping @Sendable (NetworkStatus) -> Void) { state.withLock { $0.report = report } }
    func stop() { state.withLock { $0.stops += 1 } }
    func report(_ status: NetworkStatus) { state.withLock { $0.report }?(status) }
}
