import Ferry
import FerryTesting
import Foundation

private struct Receipt: Decodable, Sendable {
    let bytes: Int
}

extension Chapter {
    static let uploads = Chapter(
        "uploads", "a form with a large file, in constant memory, and a bar that shows how far", needsServer: true,
        code: """
            var form = MultipartForm()
            form.append("title", "Sunrise")
            form.append("photo", file: photo, contentType: "image/x-raw")
            let call = NetworkCall(.post, "/photos", body: .multipart(form))
            let receipt = try await client.upload(call, as: Receipt.self) { printer.progress($0) }
            """
    ) { stage in
        try stage.server.loopback.onStreaming(.post, "/photos") { request, body in
            let count = try await body.drain()
            guard request.framing == .contentLength(count) else { return .status(400) }
            return .json(#"{"bytes": \#(count)}"#)
        }
        let photo = FileManager.default.temporaryDirectory.appending(path: "ferry-demo-\(UUID().uuidString).raw")
        try Data().write(to: photo)
        defer { try? FileManager.default.removeItem(at: photo) }
        let size = 96 << 20
        try FileHandle(forWritingTo: photo).truncate(atOffset: UInt64(size))  // Zeros, which take no room on the disk.

        let client = stage.client()
        let printer = stage.printer
        var form = MultipartForm()
        form.append("title", "Sunrise")
        form.append("photo", file: photo, contentType: "image/x-raw")
        let call = NetworkCall(.post, "/photos", body: .multipart(form))
        let receipt = try await client.upload(call, as: Receipt.self) { printer.progress($0) }
        stage.show(receipt)
        try stage.expect(receipt.bytes > size, "the form with its file, not \(receipt.bytes) bytes")
    }
}
