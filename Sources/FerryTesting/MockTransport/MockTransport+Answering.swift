public import Ferry

extension MockTransport {
    /// A transport that answers whatever it is asked with what a closure gives: a server in a few lines.
    ///
    /// ```swift
    /// let mock = MockTransport.answering { request in .json(request.text) }
    /// ```
    ///
    /// - Parameters:
    ///   - fileID: The place that a failure names, with the next three. Default: the caller's.
    ///   - filePath: As `fileID`.
    ///   - line: As `fileID`.
    ///   - column: As `fileID`.
    ///   - reply: Gives the answer. What it throws is thrown by the call.
    public static func answering(
        fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column,
        _ reply: @escaping MockRoute.Reply
    ) -> MockTransport {
        let mock = MockTransport(fileID: fileID, filePath: filePath, line: line, column: column)
        mock.on(nil, "/**", times: .anyNumber, fileID: fileID, filePath: filePath, line: line, column: column, reply)
        return mock
    }

    /// A transport that answers whatever it is asked with each reply once, in order. One request more fails the test, and
    /// so does a reply that is not used.
    ///
    /// ```swift
    /// let mock = MockTransport.answering(inTurn: .status(503), .status(503), .text("up"))
    /// ```
    ///
    /// - Precondition: There is a reply.
    public static func answering(
        inTurn replies: MockResponse..., fileID: StaticString = #fileID, filePath: StaticString = #filePath,
        line: UInt = #line, column: UInt = #column
    ) -> MockTransport {
        answering(inTurn: replies, fileID: fileID, filePath: filePath, line: line, column: column)
    }

    /// A transport that answers whatever it is asked with each reply of a list once, in order. One request more fails the
    /// test, and so does a reply that is not used.
    ///
    /// - Precondition: There is a reply.
    public static func answering(
        inTurn replies: [MockResponse], fileID: StaticString = #fileID, filePath: StaticString = #filePath,
        line: UInt = #line, column: UInt = #column
    ) -> MockTransport {
        let mock = MockTransport(fileID: fileID, filePath: filePath, line: line, column: column)
        mock.on(
            nil, "/**", times: .exactly(replies.count), replies: replies, fileID: fileID, filePath: filePath,
            line: line, column: column)
        return mock
    }
}
