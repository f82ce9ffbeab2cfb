import Ferry
import Foundation

/// One accepted connection, used on the loop's thread alone.
final class LoopbackConnection {
    enum Mode {
        /// Requests and responses take turns.
        case serving
        /// All was said; what the client still sends is read and dropped, so that no reset overtakes the response.
        case lingering(until: Duration)
        /// Nothing more is said; it stays until the client closes.
        case silent
        case closed
    }

    let number: Int
    let descriptor: Int32
    /// Opens when the client has gone.
    let disconnection = Gate()

    var mode = Mode.serving
    var parser: RequestParser
    var exchange: LoopbackExchange?
    var exchangeCount = 0
    var output = OutputQueue()
    /// Whether the client ended its sending direction.
    var isInputEnded = false

    init(number: Int, descriptor: Int32, headLimit: Int) {
        self.number = number
        self.descriptor = descriptor
        parser = RequestParser(headLimit: headLimit)
    }

    var isClosed: Bool {
        if case .closed = mode { true } else { false }
    }

    /// Whether the parser may go on: not into the next request before the answer to this one is out.
    var mayParse: Bool {
        guard case .serving = mode else { return false }
        guard let exchange else { return true }
        return !exchange.isBodyComplete && !exchange.isBodyPaused
    }

    /// What `poll` should watch for. An error or a hang-up is told in any case.
    var interest: Int16 {
        var events: Int16 = 0
        if wantsInput { events |= Sockets.readable }
        if !output.isEmpty { events |= Sockets.writable }
        return events
    }

    /// Behind a request that is being answered some input is read, to notice that the client leaves.
    private static let readAhead = 64 * 1024

    var wantsInput: Bool {
        if isInputEnded { return false }
        return switch mode {
        case .lingering, .silent: true
        case .closed: false
        case .serving: mayParse || exchange?.isBodyComplete == true && parser.bufferedCount < Self.readAhead
        }
    }
}

/// One request and its answer, used on the loop's thread alone.
final class LoopbackExchange {
    let address: ExchangeAddress
    let context: ResponsePlan.Context
    let action: RouteTable.Action
    var request: LoopbackRequest
    /// Where the body goes in a streaming handler; else it is collected in the request.
    var channel: LoopbackRequestBody.Channel?
    var receivedCount = 0
    var isBodyComplete = false
    var isBodyPaused = false
    /// Whether the client waits for `100 Continue` before it sends the body.
    var owesContinue = false
    var task: Task<Void, Never>?
    /// Set when the last byte of the response was queued.
    var end: End?

    struct End {
        var ending: LoopbackResponse.Ending?
        var keepsAlive: Bool
    }

    init(
        address: ExchangeAddress, context: ResponsePlan.Context, action: RouteTable.Action, request: LoopbackRequest
    ) {
        self.address = address
        self.context = context
        self.action = action
        self.request = request
    }
}

/// Bytes on their way to one client, and the writers that wait for them to leave.
struct OutputQueue {
    private var pieces: [Data] = []
    private var first = 0
    private var offset = 0
    private(set) var byteCount = 0
    var writers: [CheckedContinuation<Bool, Never>] = []

    /// Below this many bytes writers go on.
    static let lowWater = 256 * 1024

    var isEmpty: Bool { first == pieces.count }

    mutating func append(_ data: Data) {
        guard !data.isEmpty else { return }
        pieces.append(data)
        byteCount += data.count
    }

    /// Sends what the socket takes.
    ///
    /// - Returns: False where the client is gone.
    mutating func flush(to descriptor: Int32) -> Bool {
        while first < pieces.count {
            let result = pieces[first].withUnsafeBytes { bytes in
                Sockets.send(descriptor, UnsafeRawBufferPointer(rebasing: bytes[offset...]))
            }
            switch result {
            case .count(let count):
                byteCount -= count
                offset += count
                if offset == pieces[first].count {
                    pieces[first] = Data()
                    first += 1
                    offset = 0
                }
            case .wouldBlock: return true
            case .ended, .failed: return false
            }
        }
        pieces.removeAll(keepingCapacity: true)
        first = 0
        return true
    }

    mutating func removeAll() {
        pieces = []
        first = 0
        offset = 0
        byteCount = 0
    }
}
