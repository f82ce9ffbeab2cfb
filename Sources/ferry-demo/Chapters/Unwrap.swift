import Ferry
import Foundation

private struct Item: Decodable, Sendable {
    let sku: String
    let price: Decimal
}

extension Chapter {
    static let unwrap = Chapter(
        "unwrap", "a key path finds the value within the document",
        code: """
            let catalog = NetworkCall(.get, "/catalog/nested.json")
            let items: [Item] = try await client.request(catalog.unwrapping("data.catalog.sections.0.items"))
            let cursor: String = try await client.request(catalog.unwrapping(#"meta.next\\.cursor"#))
            let promoted: Item? = try await client.request(catalog.unwrapping("data.catalog.promoted"))
            let lost: [Item] = try await client.request(catalog.unwrapping("data.catalogue.items"))
            """
    ) { stage in
        let client = stage.client()
        let catalog = NetworkCall(.get, "/catalog/nested.json")
        let items: [Item] = try await client.request(catalog.unwrapping("data.catalog.sections.0.items"))
        stage.show(items.map { "\($0.sku): \($0.price)" })
        let cursor: String = try await client.request(catalog.unwrapping(#"meta.next\.cursor"#))
        stage.show(cursor)
        let promoted: Item? = try await client.request(catalog.unwrapping("data.catalog.promoted"))
        stage.show(promoted.map { $0.sku } ?? "nil")
        let error = try await stage.error { () throws(NetworkError) in
            let lost: [Item] = try await client.request(catalog.unwrapping("data.catalogue.items"))
            stage.show(lost.count)
        }
        try stage.expect(items.map(\.sku) == ["F-1", "F-2"], "items F-1 and F-2")
        try stage.expect(items.last?.price == Decimal(string: "9007199254740993"), "a price beyond Double's precision")
        try stage.expect(cursor == "c2" && promoted == nil, "cursor c2 and no promoted item")
        try stage.expect(error.kind == .unwrapping, "kind unwrapping, not \(error.kind)")
    }
}
