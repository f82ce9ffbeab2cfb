import Foundation
import Synchronization

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Tasks: how exchanges get theirs, and how they end.
extension URLSessionTransport {
    /// Where tasks are started and cancelled on Linux, in order.
    static let startQueue = DispatchQueue(label: "ferry.urlsession.start")

    /// Whether creating a task and resuming it wait for the session's queue, as on Linux.
    private static var startingWaits: Bool {
        #if canImport(FoundationNetworking)
            true
        #else
            false
        #endif
    }

    /// Starts an exchange: at once while the session is idle or where nothing waits, else from a queue of its own, so that
    /// no thread of Swift concurrency waits there.
    func start(_ exchange: URLSessionExchange, _ request: HTTPRequest, _ upload: UploadSource, in lane: Lane) {
        let isAlone = lane.delegate.willStart()
        guard isAlone || !Self.startingWaits else {
            return Self.startQueue.async { self.resume(exchange, request, upload, in: lane) }
        }
        resume(exchange, request, upload, in: lane)
    }

    private func resume(
        _ exchange: URLSessionExchange, _ request: HTTPRequest, _ upload: UploadSource, in lane: Lane
    ) {
        guard let task = makeTask(for: exchange, request, upload, in: lane) else { return }
        // Never resumed where the call is over: the session keeps the task until then, so let it end at once.
        guard exchange.attach(task) else { return Self.cancel(task) }
        task.resume()
    }

    /// The task of an exchange that starts, or nil where the call or the transport is over.
    private func makeTask(
        for exchange: URLSessionExchange, _ request: HTTPRequest, _ upload: UploadSource, in lane: Lane
    ) -> URLSessionTask? {
        defer { lane.delegate.didStart() }
        guard !exchange.isEnded else { return nil }
        if let origin = Origin(request.url), origin.scheme == "http" { exchange.enter(lane.line, origin) }
        let task = isShutDown.withLock { isDown -> URLSessionTask? in
            guard !isDown else { return nil }
            let task = Self.task(for: URLRequest(request), upload, in: lane)
            // Known before the lock is given back, so that a shutdown finds it.
            lane.delegate.add(exchange, for: task)
            return task
        }
        if task == nil { exchange.cancel(NetworkError(.cancelled, "The transport was shut down")) }
        return task
    }

    private static func task(for request: URLRequest, _ upload: UploadSource, in lane: Lane) -> URLSessionTask {
        switch upload.way {
        case .none, .data:
            return lane.session.dataTask(with: request)
        case .file(let url):
            return lane.session.uploadTask(with: request, fromFile: url)
        #if canImport(FoundationNetworking)
            case .read(let body):
                var request = request
                request.setStream(body.makeStream(), length: body.length)
                return lane.session.dataTask(with: request)
        #endif
        }
    }

    /// Cancels a task, from a queue of its own: on Linux `cancel()` waits for the session's queue, so calling it from a
    /// callback or from a cancellation handler deadlocks. Behind the start, so that no task is resumed afterwards.
    static func cancel(_ task: URLSessionTask) {
        #if canImport(FoundationNetworking)
            startQueue.async { task.cancel() }
        #else
            task.cancel()
        #endif
    }
}

#if canImport(FoundationNetworking)
    extension URLRequest {
        /// Sets a body stream with exact framing.
        ///
        /// FoundationNetworking tells libcurl no length of a stream, which then sends chunks; a Content-Length beside
        /// them would be two framings. A Transfer-Encoding of white space alone makes libcurl leave chunks and the field
        /// out, so that what remains is Content-Length, over HTTP/1.1. Held by a test of the bytes on the wire.
        fileprivate mutating func setStream(_ stream: InputStream, length: Int64) {
            httpBodyStream = stream
            setValue("\(length)", forHTTPHeaderField: "Content-Length")
            setValue(" ", forHTTPHeaderField: "Transfer-Encoding")
        }
    }
#endif
