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
}
