import Foundation
import Synchronization

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Hands each callback of one session to the exchange of its task.
///
/// One delegate a session, keyed by task identifier: on Linux a delegate of the task alone gets neither data nor
/// completion.
final class ExchangeDelegate: NSObject, URLSessionDataDelegate {
    /// The pins that every connection of the session is held to.
    let pins: CertificatePins
    /// Guards the exchanges that have a task: calls add on their own threads, the session's queue looks up and removes.
    private let running = Mutex<[Int: URLSessionExchange]>([:])
    /// How many are about to get a task. No part of what the lock guards, which the session's queue takes for each chunk.
    private let starting = Atomic<Int>(0)

    init(pins: CertificatePins) { self.pins = pins }

    /// An exchange is about to get a task: `didStart` follows, whether it gets one or not.
    ///
    /// - Returns: Whether it is the only one of the session.
    func willStart() -> Bool {
        // One that is no longer starting was added before.
        let others = starting.add(1, ordering: .acquiringAndReleasing).oldValue
        return others == 0 && running.withLock { $0.isEmpty }
    }

    /// An exchange has its task, or will have none.
    func didStart() { starting.subtract(1, ordering: .acquiringAndReleasing) }

    /// Adds the exchange of a task that is not resumed yet.
    func add(_ exchange: URLSessionExchange, for task: URLSessionTask) {
        running.withLock { $0[task.taskIdentifier] = exchange }
    }

    /// Every exchange that has a task.
    var all: [URLSessionExchange] { running.withLock { Array($0.values) } }

    private func exchange(_ task: URLSessionTask) -> URLSessionExchange? {
        running.withLock { $0[task.taskIdentifier] }
    }

    func urlSession(
        _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
        completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
    ) {
        if let head = HTTPResponse.Head(response) { exchange(dataTask)?.received(head) }
        completionHandler(.allow)
    }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        exchange(dataTask)?.received(data)
    }

    func urlSession(
        _ session: URLSession, task: URLSessionTask, didSendBodyData bytesSent: Int64, totalBytesSent: Int64,
        totalBytesExpectedToSend: Int64
    ) {
        exchange(task)?.sent(total: totalBytesSent)
    }

    #if canImport(FoundationNetworking)
        func urlSession(
            _ session: URLSession, task: URLSessionTask,
            needNewBodyStream completionHandler: @escaping @Sendable (InputStream?) -> Void
        ) {
            completionHandler(exchange(task)?.rewind(total: task.countOfBytesSent))
        }
    #endif

    func urlSession(
        _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest request: URLRequest, completionHandler: @escaping @Sendable (URLRequest?) -> Void
    ) {
        exchange(task)?.refuseRedirect(completionHandler)
    }

    func urlSession(
        _ session: URLSession, task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge,
        completionHandler: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
    ) {
        #if canImport(FoundationNetworking)
            // On Linux only a 401 asks, after its response was delivered. Default handling would hang, and refusing
            // cancels the task, which must not happen on the session's own queue.
            exchange(task)?.challenged()
            DispatchQueue.global().async { completionHandler(.cancelAuthenticationChallenge, nil) }
        #else
            ServerTrust.answer(challenge, pins: pins, for: exchange(task), completionHandler)
        #endif
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        let ended = running.withLock { $0.removeValue(forKey: task.taskIdentifier) }
        guard let ended else { return }
        ended.completed(error, head: task.response.flatMap(HTTPResponse.Head.init))
    }
}

extension HTTPResponse.Head {
    /// The head of a URLSession response, or nil where it is not HTTP.
    init?(_ response: URLResponse) {
        guard let http = response as? HTTPURLResponse, let url = http.url else { return nil }
        // A dictionary has no order; sorted by name, at least the same response always reads the same.
        let fields = http.allHeaderFields.compactMap { key, value -> HTTPHeaders.Field? in
            // `base`: a cast of the AnyHashable itself takes twice as long.
            guard let name = key.base as? String, let text = value as? String else { return nil }
            // FoundationNetworking leaves tabs around the value, which are no part of it (RFC 9110 §5.5).
            let isPadded =
                text.utf8.first.map(FieldSyntax.isWhitespace) ?? false
                || text.utf8.last.map(FieldSyntax.isWhitespace) ?? false
            return HTTPHeaders.Field(name: name, value: isPadded ? FieldSyntax.trimmed(text) : text)
        }
        self.init(
            status: HTTPStatus(http.statusCode), headers: HTTPHeaders(fields.sorted { $0.name < $1.name }), url: url)
    }
}
