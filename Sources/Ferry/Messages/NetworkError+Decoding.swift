extension NetworkError {
    /// The error of content that is not what a type needs: it names the place, and shows no value.
    package static func decoding(_ type: Any.Type, _ error: any Error) -> NetworkError {
        guard let decodingError = error as? DecodingError else {
            return NetworkError(.decoding, "The content is not \(type)", underlying: error)
        }
        let path = decodingError.path
        let place = path.isEmpty ? "" : " at '\(path)'"
        return NetworkError(
            .decoding, "The content is not \(type): \(decodingError.words)\(place)", underlying: error
        ).with { $0.codingPath = path.isEmpty ? nil : path }
    }
}
