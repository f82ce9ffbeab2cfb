import Ferry
import Foundation

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
