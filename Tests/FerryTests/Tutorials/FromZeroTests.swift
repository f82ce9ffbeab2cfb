import Ferry
import FerryTesting
import Foundation
import XCTest

// The files that the tutorial "From zero to a typed client" ends with, word for word; see `StorySourcesTests`.

// story: zero-08.swift
struct Weather: Decodable, Sendable {
    let city: String
    let celsius: Double
}

struct CurrentWeather: Api {
    typealias Response = Weather
    var city: String
    var path: String { "/weather/current" }
    var query: Parameters { ["city": city, "units": "metric"] }
    var responseKeyPath: JSONKeyPath? { "data" }
}

struct WeatherService: Sendable {
    let client: NetworkClient

    init(baseURL: URL?, key: String, transport: (any Transport)? = nil) {
        client = NetworkClient(baseURL: baseURL) {
            $0.authorization = .apiKey(header: "X-Key", key)
            $0.retry = .exponential(initial: .milliseconds(250), maxRetries: 3)
            $0.errorMessageKeyPath = "message"
            $0.transport = transport
        }
    }

    func current(in city: String) async throws(NetworkError) -> Weather {
        try await client.request(CurrentWeather(city: city))
    }

    func report(on city: String) async -> String {
        do {
            let weather = try await current(in: city)
            return "\(weather.city): \(weather.celsius) °C"
        } catch {
            if error.isNotFound { return "Nobody knows \(city)." }
            if error.isOffline { return "You are offline." }
            return error.serverMessage ?? error.message
        }
    }
}
// end

// story: zero-10.swift
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
// end
