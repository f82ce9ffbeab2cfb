extension Chapter {
    /// All chapters, in the order of the tour.
    static let all: [Chapter] = [
        .firstCall,
        .verbs,
        .callAsValue,
        .parameters,
        .forms,
        .uploads,
        .pathTemplate,
        .unwrap,
        .json,
        .emptyBodies,
        .fallback,
        .errors,
        .errorKinds,
        .typedErrors,
        .timeouts,
        .retry,
        .redirects,
        .cookies,
        .cacheThenNetwork,
        .offline,
        .downloads,
        .mocks,
        .urlRequest,
    ]
}
