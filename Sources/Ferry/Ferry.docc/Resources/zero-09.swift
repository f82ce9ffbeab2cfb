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
}
