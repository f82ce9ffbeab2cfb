import Ferry
import Foundation

struct Weather: Decodable, Sendable {
    let city: String
    let celsius: Double
}
