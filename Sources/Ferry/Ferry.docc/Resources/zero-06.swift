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

    init(baseURL: URL?, key: String) {
        client = NetworkClient(baseURL: baseURL) {
            $0.authorization = .apiKey(header: "X-Key", key)
            $0.retry = .exponential(initial: .milliseconds(250), maxRetries: 3)
            $0.errorMessageKeyPath = "message"
        }
    }

    func current(in city: String) async throws(NetworkError) -> Weather {
        try await client.request(CurrentWeather(city: city))
    }
}
