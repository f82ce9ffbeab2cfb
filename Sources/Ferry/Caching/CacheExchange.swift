import Foundation

/// One request and the cache.
struct CacheExchange: Sendable {
    let request: HTTPRequest
    let control: CacheControl
    let mode: CacheMode
    let context: CallContext
    let next: Next
    let store: any CacheStore
    let owner: CacheInterceptor

    private let key: CacheKey
    /// The method whose stored responses answer: GET where HEAD asks.
    private let method: HTTPMethod
    private let wanted: VaryingRequest
    private let credentialFields: Set<String>

    init(
        request: HTTPRequest, control: CacheControl, mode: CacheMode, context: CallContext, next: Next,
        store: any CacheStore, owner: CacheInterceptor
    ) {
        self.request = request
        self.control = control
        self.mode = mode
        self.context = context
        self.next = next
        self.store = store
        self.owner = owner
        key = CacheKey(request.url)
        method = request.method == .head ? .get : request.method
        let preview = next.preview(request)
        credentialFields = Self.credentialFields(preview, request)
        wanted = VaryingRequest(preview, asked: request, credentialFields: credentialFields, method: method)
    }

    /// The fields that steps below set, cookies aside: those select responses only where Vary says so.
    private static func credentialFields(_ preview: HTTPRequest, _ request: HTTPRequest) -> Set<String> {
        guard preview.headers != request.headers else { return [] }
        let names = Set(preview.headers.map { $0.name.lowercased() })
        return names.filter { $0 != "cookie" && preview.headers.values(of: $0) != request.headers.values(of: $0) }
    }

    func run() async throws(NetworkError) -> HTTPResponse {
        if Task.isCancelled { throw .cancelled }
        let entry = await selected()
        if mode == .cacheOnly {
            guard let entry else { throw CacheInterceptor.miss(request) }
            return served(entry, owner.policy.freshness(of: entry.head).isFresh(at: now) ? .cacheFresh : .cacheStale)
        }
        if mode == .useProtocol, let entry {
            switch owner.policy.reuse(entry.head, for: control, at: now) {
            case .fresh:
                return served(entry, .cacheFresh)
            case .stale(let revalidates):
                if revalidates, !control.contains("only-if-cached") { validateInBackground(entry) }
                return served(entry, .cacheStale)
            case .validate:
                break
            }
        }
        if control.contains("only-if-cached") { throw CacheInterceptor.miss(request) }
        return try await fetch(validating: mode == .reload ? nil : entry, replacing: entry)
    }

    /// Asks the network alone, for requests whose conditions or range are the caller's own. A whole response takes the
    /// place of what is stored, which would be older than what the caller has seen.
    func passThrough() async throws(NetworkError) -> HTTPResponse {
        let begun = Moment(date: now, removals: owner.removals)
        let sent = SentRequest()
        let response = try await next.recording(in: sent)(request, context: context)
        guard response.status == .ok, request.method != .head else { return response }
        return await stored(response, begun, sent.request ?? request, replacing: await selected())
    }

    /// The stored response that answers the request.
    private func selected() async -> CacheEntry? {
        await store.entry(for: key) { [wanted] heads in CacheEntry.Head.select(heads, for: wanted)?.id }
    }

    private var now: Date { context.clock.date }

    /// Asks the network.
    ///
    /// - Parameters:
    ///   - entry: What may be validated and may stand in for a failure.
    ///   - old: What a new response takes the place of.
    private func fetch(
        validating entry: CacheEntry?, replacing old: CacheEntry?
    ) async throws(NetworkError) -> HTTPResponse {
        let conditional = entry.flatMap {
            request.method == .head ? nil : Validators($0.head.headers).conditional(request)
        }
        let begun = Moment(date: now, removals: owner.removals)
        let sent = SentRequest()
        let standIn = entry.flatMap {
            mode == .useProtocol && owner.policy.standsIn($0.head, for: control, at: now) ? $0 : nil
        }
        let response: HTTPResponse
        do throws(NetworkError) {
            response = try await next.recording(in: sent)(conditional ?? request, context: context)
        } catch {
            if let standIn, error.allowsStaleResponse, !Task.isCancelled { return served(standIn, .cacheStale) }
            throw error
        }
        if let standIn, response.status.allowsStaleResponse { return served(standIn, .cacheStale) }
        if response.status == .notModified, let entry, conditional != nil {
            guard Validators(entry.head.headers).areConfirmed(by: Validators(response.headers)) else {
                // The 304 is about another response, which is not here: it must be fetched (§4.3.4).
                return try await fetch(validating: nil, replacing: old)
            }
            return await validated(entry, by: response, begun, sent.request ?? request)
        }
        if request.method == .head {
            await update(old, by: response, begun)
            return response
        }
        return await stored(response, begun, sent.request ?? request, replacing: old)
    }

    /// The stored response with the fields of the 304 (§4.3.4, §3.2), which is stored.
    private func validated(
        _ entry: CacheEntry, by response: HTTPResponse, _ begun: Moment, _ sent: HTTPRequest
    ) async -> HTTPResponse {
        var updated = entry.updated(by: response.headers, requestDate: begun.date, responseDate: now)
        // The credential may have been renewed on the way; the response is to be found with the new one. Only where the
        // tag says that the bytes are those that the new one gets.
        if Validators(entry.head.headers).isStrong,
            let variance = CacheVariance(headers: updated.head.headers, request: varying(sent))
        {
            updated = updated.varying(by: variance)
        }
        await keep(updated, begun, old: entry)
        return served(updated, .cacheValidated)
    }

    /// What a request that was sent has that responses may vary by.
    private func varying(_ sent: HTTPRequest) -> VaryingRequest {
        VaryingRequest(sent, asked: request, credentialFields: credentialFields, method: method)
    }

    /// What a HEAD response says of a stored one (§4.3.5).
    private func update(_ entry: CacheEntry?, by response: HTTPResponse, _ begun: Moment) async {
        guard let entry, response.status == .ok, entry.head.status == .ok else { return }
        if Validators.describesSame(entry.head.headers, response.headers) {
            await keep(
                entry.updated(by: response.headers, requestDate: begun.date, responseDate: now), begun, old: entry)
        } else {
            await store.remove(entry.head.id, for: key)
        }
    }

    private func keep(_ updated: CacheEntry, _ begun: Moment, old: CacheEntry) async {
        guard owner.mayStore(key, since: begun.removals) else { return }
        let refusal = owner.policy.refusal(status: updated.head.status, headers: updated.head.headers, request: control)
        if refusal != nil || updated.head.id != old.head.id { await store.remove(old.head.id, for: key) }
        if refusal == nil { await store.insert(updated) }
    }

    /// A response from the network, which is stored where it may be: at once, or once its stream was read.
    private func stored(
        _ response: HTTPResponse, _ begun: Moment, _ sent: HTTPRequest, replacing old: CacheEntry?
    ) async -> HTTPResponse {
        let received = now
        guard owner.policy.refusal(status: response.status, headers: response.headers, request: control) == nil,
            let variance = CacheVariance(headers: response.headers, request: varying(sent))
        else {
            // A newer answer that may not be kept leaves the older one wrong all the same.
            if let old, response.status.isSuccess { await store.remove(old.head.id, for: key) }
            return response
        }
        let save: @Sendable (Data) async -> Void = { [self] body in
            guard owner.mayStore(key, since: begun.removals) else { return }
            let head = CacheEntry.Head(
                url: Self.shown(request.url), key: key, variance: variance, status: response.status,
                headers: StoredFields.of(response.headers), requestDate: begun.date, responseDate: received,
                byteCount: body.count)
            if let old, old.head.id != head.id { await store.remove(old.head.id, for: key) }
            await store.insert(CacheEntry(head: head, body: body))
        }
        var result = response
        switch response.body {
        case .data(let data):
            await save(data)
        case .stream(let stream):
            let length = response.headers.values(of: "Content-Length").first.flatMap { Int($0) } ?? 0
            guard length <= store.maxEntryBytes, isWorthCollecting(response, begun, received) else { break }
            result.body = .stream(ByteStream(StoringSource(stream, limit: store.maxEntryBytes, store: save)))
        }
        return result
    }

    /// Whether a stream is collected: not where it could never be used without being fetched anew, such as the events
    /// of a server.
    private func isWorthCollecting(_ response: HTTPResponse, _ begun: Moment, _ received: Date) -> Bool {
        let freshness = Freshness(
            status: response.status, headers: response.headers, requestDate: begun.date, responseDate: received,
            heuristic: owner.policy.heuristic)
        return freshness.lifetime > 0 || !Validators(response.headers).isEmpty
    }

    /// Answers with a stored response.
    private func served(_ entry: CacheEntry, _ source: HTTPResponse.Source) -> HTTPResponse {
        let age = owner.policy.freshness(of: entry.head).age(at: now)
        var headers = entry.head.headers
        if source != .cacheValidated {
            // §4: without validation the age must be said; §5.2.2.4: some fields must not be used.
            headers["Age"] = String(Int(min(age, Double(DeltaSeconds.limit))))
            if case .fields(let names)? = entry.head.control.noCache { for name in names { headers.remove(name) } }
        }
        let head = HTTPResponse.Head(status: entry.head.status, headers: headers, url: request.url)
        let data = request.method == .head ? Data() : entry.body
        context.emit(.cacheHit)
        context.emit(.head(head))
        return HTTPResponse(
            head: head, body: context.delivery == .buffered ? .data(data) : .stream(Self.stream(data)), source: source,
            age: .seconds(age))
    }

    /// In pieces, as a network would give it.
    private static func stream(_ data: Data) -> ByteStream {
        let size = 64 * 1024
        return ByteStream(
            stride(from: 0, to: data.count, by: size).map {
                data.subdata(in: (data.startIndex + $0)..<(data.startIndex + min($0 + size, data.count)))
            })
    }

    /// Validates while the stale response is used (RFC 5861 §3).
    private func validateInBackground(_ entry: CacheEntry) {
        // With what the call remembers, such as the origin that its credential belongs to.
        let context = CallContext(
            delivery: .buffered, timeouts: context.timeouts, options: context.options, limits: context.limits,
            clock: context.clock, deadlines: context.deadlines, store: context.store.copy(), sink: nil)
        let exchange = CacheExchange(
            request: request.method == .head ? Self.get(request) : request, control: control, mode: .cacheThenNetwork,
            context: context, next: next, store: store, owner: owner)
        owner.validateInBackground(EntryPlace(key: key, id: entry.head.id)) {
            // A failure leaves what is stored as it is: the next call finds out.
            _ = try? await exchange.fetch(validating: entry, replacing: entry)
        }
    }

    private static func get(_ request: HTTPRequest) -> HTTPRequest {
        var request = request
        request.method = .get
        return request
    }

    /// A URL without userinfo and fragment.
    private static func shown(_ url: URL) -> URL {
        guard url.user() != nil || url.password() != nil || url.fragment() != nil,
            var components = URLComponents(url: url, resolvingAgainstBaseURL: false)
        else { return url }
        components.user = nil
        components.password = nil
        components.fragment = nil
        return components.url ?? url
    }

    private struct Moment {
        let date: Date
        /// What was taken away until then.
        let removals: CacheRemovals
    }
}
