import Ferry
import Foundation
import Synchronization

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// The least that a call over URLSession can cost: what the SDK does with a session, and nothing else.
///
/// Cache, cookies, credential storage and the idle timer off, one delegate, on Linux its callbacks inline and tasks started
/// from a queue of their own while others run. No deadline, no cancellation, no status, no error of its own.
final class FloorSession: NSObject, URLSessionDataDelegate {
    private struct Exchange {
        var continuation: CheckedContinuation<Result<Data, any Error>, Never>
        var data = Data()
    }

    /// Guards the running exchanges: calls add, the session's queue looks up and removes.
    private let exchanges = Mutex<[Int: Exchange]>([:])
    private let startQueue = DispatchQueue(label: "floor")

    #if canImport(FoundationNetworking)
        private final class InlineQueue: OperationQueue, @unchecked Sendable {  // It stores nothing; no lock is needed.
            override func addOperation(_ block: @escaping @Sendable () -> Void) { block() }
        }
    #endif

    /// A session with this as its delegate, which holds it until the session is invalidated.
    func makeSession() -> URLSession {
        let configuration = URLSessionConfiguration.default
        configuration.urlCache = nil
        configuration.requestCachePolicy = .reloadIgnoringLocalCacheData
        configuration.httpCookieStorage = nil
        configuration.httpShouldSetCookies = false
        configuration.httpCookieAcceptPolicy = .never
        configuration.urlCredentialStorage = nil
        configuration.timeoutIntervalForRequest = URLSessionTransport.sessionTimeout
        #if canImport(FoundationNetworking)
            return URLSession(configuration: configuration, delegate: self, delegateQueue: InlineQueue())
        #else
            return URLSession(configuration: configuration, delegate: self, delegateQueue: nil)
        #endif
    }

    func data(for request: URLRequest, in session: URLSession) async throws -> Data {
        let result = await withCheckedContinuation { continuation in
            if exchanges.withLock({ $0.isEmpty }) { return start(request, session, continuation) }
            startQueue.async { self.start(request, session, continuation) }
        }
        return try result.get()
    }

    private func start(
        _ request: URLRequest, _ session: URLSession,
        _ continuation: CheckedContinuation<Result<Data, any Error>, Never>
    ) {
        let task = session.dataTask(with: request)
        exchanges.withLock { $0[task.taskIdentifier] = Exchange(continuation: continuation) }
        task.resume()
    }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        exchanges.withLock { $0[dataTask.taskIdentifier]?.data.append(data) }
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        guard let exchange = exchanges.withLock({ $0.removeValue(forKey: task.taskIdentifier) }) else { return }
        exchange.continuation.resume(returning: error.map { .failure($0) } ?? .success(exchange.data))
    }
}
