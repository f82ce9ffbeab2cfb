import Ferry
import FerryTesting
import Foundation
import XCTest

final class WeatherServiceTests: XCTestCase {
    func testReport_namesTheTemperature() async {
        let mock = MockTransport()
        mock.on(
            .get, "/weather/current", matching: [.query("city", "Oslo"), .header("X-Key", "k")],
            .json(#"{"data": {"city": "Oslo", "celsius": -3.5}}"#))
        mock.on(.get, "/weather/current", .json(#"{"message": "No such place"}"#, status: 404))
        let service = WeatherService(baseURL: URL(string: "https://api.weather.example"), key: "k", transport: mock)

        let oslo = await service.report(on: "Oslo")
        let atlantis = await service.report(on: "Atlantis")

        XCTAssertEqual(oslo, "Oslo: -3.5 °C")
        XCTAssertEqual(atlantis, "Nobody knows Atlantis.")
        mock.verify()
    }

    func testCurrent_isAskedAgainWhenTheServerIsBusy() async throws {
        let server = try await LoopbackServer.start()
        server.script(
            .get, "/weather/current",
            [.status(503), .json(#"{"data": {"city": "Oslo", "celsius": -3.5}}"#)])
        let service = WeatherService(baseURL: server.baseURL, key: "k")

        let weather = try await service.current(in: "Oslo")

        XCTAssertEqual(weather.celsius, -3.5)
        XCTAssertEqual(server.requests.map(\.query), ["city=Oslo&units=metric", "city=Oslo&units=metric"])
        await server.stop()
    }
}
