import Foundation
import XCTest

/// The arrows of `Docs/Architecture.md`, held against the sources themselves.
final class RoomsTests: XCTestCase {
    private func sources() throws -> [RoomRules.File] {
        let root = Repository.root.appending(path: "Sources/Ferry")
        // The catalog holds the code of tutorials, which is no source of Ferry.
        let paths = try FileManager.default.subpathsOfDirectory(atPath: root.path)
            .filter { $0.hasSuffix(".swift") && !$0.hasPrefix("Ferry.docc/") }
        return try paths.sorted().map { path in
            let parts = path.split(separator: "/")
            XCTAssertEqual(parts.count, 2, "\(path) is in no room")
            return RoomRules.File(
                room: String(parts[0]), name: String(parts[parts.count - 1]),
                source: try String(contentsOf: root.appending(path: path), encoding: .utf8))
        }
    }

    func testRooms_nameOnlyRoomsBelow() throws {
        let files = try sources()
        XCTAssertGreaterThan(files.count, 50)
        for violation in RoomRules.violations(in: files) { XCTFail(violation) }
    }

    func testRooms_beginWithWhatTheyMayKnow() throws {
        for (room, files) in Dictionary(grouping: try sources(), by: \.room) {
            let openings = files.filter { $0.source.hasPrefix("// \(room): ") }.map(\.name)
            XCTAssertEqual(openings.count, 1, "\(room): its comment is in \(openings)")
        }
    }

    /// Nothing that input can reach ends the process, whose message could show a secret, and nothing searches by a pattern.
    func testSources_haveNeitherTrapsNorPatterns() throws {
        let forbidden = [
            "fatalError(", "preconditionFailure(", "precondition(", "assertionFailure(", "try!", " as! ",
            "NSRegularExpression",
            "Regex", ".regularExpression",
        ]
        for product in ["Ferry", "FerryCurl", "FerryUI"] {
            let root = Repository.root.appending(path: "Sources/\(product)")
            let paths = try FileManager.default.subpathsOfDirectory(atPath: root.path).filter { $0.hasSuffix(".swift") }
            XCTAssertFalse(paths.isEmpty)
            for path in paths {
                let source = try String(contentsOf: root.appending(path: path), encoding: .utf8)
                for line in source.split(separator: "\n") {
                    let code = line.trimmingCharacters(in: .whitespaces)
                    guard !code.hasPrefix("//") else { continue }
                    for word in forbidden where code.contains(word) { XCTFail("\(product)/\(path): \(code)") }
                }
            }
        }
    }

    func testRules_findEachForbiddenArrow() {
        let base: [RoomRules.File] = [
            .init(room: "Messages", name: "M.swift", source: "public struct Message {}"),
            .init(room: "Pipeline", name: "P.swift", source: "package protocol Step {}\nprivate struct Hidden {}"),
            .init(room: "Encoding", name: "E.swift", source: "enum Encoder {}"),
            .init(room: "Calls", name: "C.swift", source: "public protocol Call { associatedtype Answer }"),
            .init(room: "Client", name: "N.swift", source: "public actor Client {}\nstruct Answer {}"),
        ]
        let rows: [(room: String, source: String, names: String?)] = [
            ("Messages", "let x: Step", "Step of Pipeline"),
            ("Pipeline", "let x: Encoder", "Encoder of Encoding"),
            ("Pipeline", "let x: Message", nil),
            ("Transport", "let x: [Encoder]", "Encoder of Encoding"),
            ("Transport", "func f(_ x: Message) -> any Step", nil),
            ("Transport", "let x = \"\\(Encoder.self)\"", "Encoder of Encoding"),
            ("Transport", "let x = #\"\\(Encoder.self)\"# // Encoder\n/* a /* Encoder */ Encoder */", nil),
            ("Transport", "let x = \"\"\"\n  Encoder \"Encoder\"\n  \"\"\"", nil),
            ("Transport", "let x = Y.Encoder()", nil),
            ("Transport", "struct Hidden {}", nil),
            ("Calls", "let x: Encoder", nil),
            ("Calls", "let x: Client", "Client of Client"),
            ("Calls", "protocol Other { associatedtype Answer }", nil),
            ("Client", "let x: (Call, Encoder, Step)", nil),
            ("Paging", "let x: Client", nil),
        ]
        for row in rows {
            let file = RoomRules.File(room: row.room, name: "X.swift", source: row.source)
            let expected = row.names.map { ["\(row.room)/X.swift names \($0)"] } ?? []
            XCTAssertEqual(RoomRules.violations(in: base + [file]), expected, row.source)
        }
        let stray = RoomRules.File(room: "Helpers", name: "X.swift", source: "")
        XCTAssertEqual(RoomRules.violations(in: [stray]), ["Helpers: no rule says what this room may know"])
    }
}
