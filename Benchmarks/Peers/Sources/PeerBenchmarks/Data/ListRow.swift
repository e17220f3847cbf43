/// What a list row shows, as a value with strings of its own: every store is asked for these.
struct ListRow: Sendable {
    let id: Int64
    var title: String
    let authors: String
    let coverURL: String?
    let year: Int?
    let status: Int
    let rating: Int?
}

/// Fixed fields, then three texts, as tight as BookDB's own row: how stores of keys and values keep it.
extension ListRow {
    init(_ bytes: UnsafeRawBufferPointer) {
        id = bytes.loadUnaligned(as: Int64.self)
        let year = Int(bytes.loadUnaligned(fromByteOffset: 8, as: Int16.self))
        self.year = year == Int(Int16.min) ? nil : year
        status = Int(bytes[10])
        rating = bytes[11] == 0 ? nil : Int(bytes[11])
        var offset = 18
        func text(_ field: Int) -> String {
            let count = Int(bytes.loadUnaligned(fromByteOffset: field, as: UInt16.self))
            defer { offset += count }
            return String(decoding: UnsafeRawBufferPointer(rebasing: bytes[offset..<offset + count]), as: UTF8.self)
        }
        title = text(12)
        authors = text(14)
        let url = text(16)
        coverURL = url.isEmpty ? nil : url
    }

    var bytes: [UInt8] {
        var bytes: [UInt8] = []
        let texts = [title, authors, coverURL ?? ""]
        bytes.reserveCapacity(18 + texts.reduce(0) { $0 + $1.utf8.count })
        withUnsafeBytes(of: id) { bytes.append(contentsOf: $0) }
        withUnsafeBytes(of: Int16(year ?? Int(Int16.min))) { bytes.append(contentsOf: $0) }
        bytes.append(UInt8(status))
        bytes.append(UInt8(rating ?? 0))
        for text in texts { withUnsafeBytes(of: UInt16(text.utf8.count)) { bytes.append(contentsOf: $0) } }
        for text in texts { bytes.append(contentsOf: text.utf8) }
        return bytes
    }
}
