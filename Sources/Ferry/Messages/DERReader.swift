/// Reads elements of DER one behind the other (X.690 §8.1, §10.1). It reads slices and never copies or recurses.
struct DERReader {
    private var rest: ArraySlice<UInt8>

    init(_ bytes: ArraySlice<UInt8>) { rest = bytes }

    /// The tag of the next element.
    var tag: UInt8? { rest.first }

    /// The next element, where it has a tag, is whole, and its length is written as DER writes it: in the fewest bytes.
    mutating func next(tag: UInt8) -> (content: ArraySlice<UInt8>, whole: ArraySlice<UInt8>)? {
        guard rest.first == tag else { return nil }
        var cursor = rest.dropFirst()
        guard let first = cursor.popFirst() else { return nil }
        var length = Int(first)
        if first >= 0x80 {
            // The long form: so many bytes of length follow. Three, for 16 MiB, are more than any certificate has.
            let count = Int(first & 0x7F)
            guard (1...3).contains(count), cursor.count >= count else { return nil }
            length = cursor.prefix(count).reduce(0) { $0 << 8 | Int($1) }
            guard length >= 0x80, cursor.first != 0 else { return nil }
            cursor = cursor.dropFirst(count)
        }
        guard cursor.count >= length else { return nil }
        let content = cursor.prefix(length)
        let whole = rest[rest.startIndex..<content.endIndex]
        rest = rest[content.endIndex...]
        return (content, whole)
    }
}
