import Ferry
import Foundation

/// Framing of streams: the parsers alone, over bytes in memory in pieces of 16 KiB, as a transport gives them.
enum ParserWorks {
    static var all: [Work] {
        [
            work("SSE framing", unit: "event: token\nid: 4711\ndata: {\"token\":\"" + filler(180) + "\"}\n\n") {
                ServerSentEventParser()
            },
            work("lines framing", unit: filler(119) + "\n") { LineParser() },
            work("NDJSON framing", unit: "{\"id\":4711,\"text\":\"" + filler(180) + "\"}\n") { JSONLinesParser() },
        ]
    }

    private static func filler(_ count: Int) -> String { String(repeating: "x", count: count) }

    private static func work<Parser: StreamParser>(
        _ name: String, unit: String, parser: @escaping () -> Parser
    ) -> Work {
        Work(name: name) { bench in
            let count = (bench.isQuick ? 8 << 20 : 32 << 20) / unit.utf8.count
            let bytes = Data(String(repeating: unit, count: count).utf8)
            let chunks = bytes.pieces(of: 16 << 10)
            var rates: [Double] = []
            for _ in 0...bench.rounds {
                let cost = try await Cost.of(1) {
                    var parser = parser()
                    var found = 0
                    for chunk in chunks {
                        parser.append(chunk)
                        while try parser.next() != nil { found += 1 }
                    }
                    parser.finish()
                    while try parser.next() != nil { found += 1 }
                    precondition(found == count, "A wrong answer")
                }
                rates.append(Double(bytes.count) / 1e6 / cost.time)
            }
            // The first round does not count.
            return [.value(name, "MB/s", Array(rates.dropFirst()), budget: .atLeast(300), unit: "MB/s")]
        }
    }
}
