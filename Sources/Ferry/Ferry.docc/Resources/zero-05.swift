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

    init(baseURL: URL?) {
        client = NetworkClient(baseURL: baseURL)
    }

    func current(in city: String) async throws(NetworkError) -> Weather {
        try await client.request(CurrentWeather(city: city))
    }
}
