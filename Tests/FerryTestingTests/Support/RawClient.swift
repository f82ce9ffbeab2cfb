import Foundation

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// A blocking socket to a port of this machine: what is written goes out as it is, what is read is what came.
///
/// Every read gives up after 20 s, so that a broken server fails a test instead of hanging it.
final class RawClient: Sendable {
    private let descriptor: Int32

    enum Failure: Error, Equatable {
        case cannotConnect
        case timedOut
        case system(Int32)
        case malformed(String)
    }

    init(port: Int) throws {
        #if canImport(Darwin)
            descriptor = socket(AF_INET, SOCK_STREAM, 0)
        #else
            descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        #endif
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = UInt16(port).bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let status = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        var limit = timeval(tv_sec: 20, tv_usec: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
        guard status == 0 else { throw Failure.cannotConnect }
    }

    deinit { close(descriptor) }

    func send(_ data: Data) throws {
        var offset = 0
        while offset < data.count {
            let sent = data.withUnsafeBytes { bytes in
                #if canImport(Darwin)
                    write(descriptor, bytes.baseAddress! + offset, bytes.count - offset)
                #else
                    Glibc.send(descriptor, bytes.baseAddress! + offset, bytes.count - offset, Int32(MSG_NOSIGNAL))
                #endif
            }
            if sent < 0 { throw Failure.system(errno) }
            offset += sent
        }
    }

    func send(_ text: String) throws { try send(Data(text.utf8)) }

    /// Bytes that are there, at least one; empty at the end.
    func readSome(_ limit: Int = 64 * 1024) throws -> Data {
        var buffer = [UInt8](repeating: 0, count: limit)
        let count = recv(descriptor, &buffer, limit, 0)
        if count < 0 { throw errno == EAGAIN ? Failure.timedOut : Failure.system(errno) }
        return Data(buffer[..<count])
    }

    /// Everything up to the end of the connection.
    func readAll() throws -> Data {
        var all = Data()
        while true {
            let piece = try readSome()
            if piece.isEmpty { return all }
            all.append(piece)
        }
    }

    /// What came, and whether the connection was reset after it rather than closed.
    func readToEnd() throws -> (data: Data, isReset: Bool) {
        var all = Data()
        while true {
            do {
                let piece = try readSome()
                if piece.isEmpty { return (all, false) }
                all.append(piece)
            } catch Failure.system(ECONNRESET) {
                return (all, true)
            }
        }
    }

    func read(until end: String) throws -> String {
        var all = Data()
        while !all.suffix(end.utf8.count).elementsEqual(end.utf8) {
            let piece = try readSome(1)
            if piece.isEmpty { break }
            all.append(piece)
        }
        return String(decoding: all, as: UTF8.self)
    }

    func read(exactly count: Int) throws -> Data {
        var all = Data()
        while all.count < count {
            let piece = try readSome(min(count - all.count, 1 << 20))
            if piece.isEmpty { throw Failure.malformed("ended after \(all.count) of \(count) bytes") }
            all.append(piece)
        }
        return all
    }

    struct Response {
        var statusLine: String
        var headers: [String: String]
        var body: Data
        var text: String { String(decoding: body, as: UTF8.self) }
        var status: Int { Int(statusLine.split(separator: " ")[1]) ?? 0 }
    }

    /// One response, framed by Content-Length, chunked coding or the end of the connection.
    func readResponse(toHead: Bool = false) throws -> Response {
        let head = try read(until: "\r\n\r\n")
        let lines = head.components(separatedBy: "\r\n").filter { !$0.isEmpty }
        guard let first = lines.first, first.hasPrefix("HTTP/1.1 ") else { throw Failure.malformed(head) }
        var headers: [String: String] = [:]
        for line in lines.dropFirst() {
            let colon = line.firstIndex(of: ":")!
            headers[line[..<colon].lowercased()] = line[line.index(after: colon)...].trimmingCharacters(
                in: .whitespaces)
        }
        var response = Response(statusLine: first, headers: headers, body: Data())
        if toHead || [204, 304].contains(response.status) || response.status < 200 { return response }
        if let length = headers["content-length"].flatMap({ Int($0) }) {
            response.body = try read(exactly: length)
        } else if headers["transfer-encoding"] == "chunked" {
            while true {
                let line = try read(until: "\r\n")
                guard let size = Int(line.dropLast(1), radix: 16) else { throw Failure.malformed(line) }
                if size == 0 { break }
                response.body.append(try read(exactly: size))
                _ = try read(exactly: 2)
            }
            while try read(until: "\r\n") != "\r\n" {}
        } else {
            response.body = try readAll()
        }
        return response
    }

    func request(_ method: String, _ target: String, headers: String = "", body: String = "") throws -> Response {
        try send("\(method) \(target) HTTP/1.1\r\nHost: x\r\n\(headers)\r\n\(body)")
        return try readResponse(toHead: method == "HEAD")
    }

    func get(_ target: String) throws -> Response { try request("GET", target) }

    /// Says that nothing more will be sent.
    func endSending() { shutdown(descriptor, Int32(SHUT_WR)) }
}
