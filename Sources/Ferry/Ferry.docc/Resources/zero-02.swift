import Ferry
import Foundation

struct Weather: Decodable, Sendable {
    let city: String
    let celsius: Double
}

func currentWeather(in city: String) async throws(NetworkError) -> Weather {
    let client = NetworkClient(baseURL: URL(string: "https://api.weather.example"))
    return try await client.get("/weather/current", query: ["city": city])
}
