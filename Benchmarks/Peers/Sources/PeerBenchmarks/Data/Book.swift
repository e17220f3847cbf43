/// One work with everything that is stored of it, as every store is given it.
struct Book: Sendable {
    /// The place in the list by title, with room between two for others.
    var place: Int64
    /// What the work is filed under: bytes in the order of the places.
    var key: [UInt8]
    var row: ListRow
    /// What a search looks through: lower-case and without accents.
    var text: String
    /// Those of the work's authors whom no book before it in its file has.
    var newAuthors: [AuthorRecord]
    var full: FullWork

    /// Two neighbours are this far apart.
    static let step: Int64 = 1 << 20

    /// The same book once more under numbers of its own, by the same authors.
    var copy: Book {
        var copy = self
        copy.place += Self.step / 2
        copy.key += [0xFE]
        copy.full.work.id ^= 1 << 62
        copy.row = ListRow(
            id: copy.full.work.id, title: row.title, authors: row.authors, coverURL: row.coverURL, year: row.year,
            status: row.status, rating: row.rating)
        copy.newAuthors = []
        for index in copy.full.editions.indices {
            copy.full.editions[index].id ^= 1 << 62
            copy.full.editions[index].work = copy.full.work.id
        }
        copy.full.entry?.work = copy.full.work.id
        return copy
    }
}

extension Book: Packed {
    init(from bytes: inout Unpacker) {
        place = Int64(bytes.number())
        key = bytes.data()
        row = bytes.data().withUnsafeBytes { ListRow($0) }
        text = bytes.text()
        newAuthors = bytes.list()
        full = FullWork(from: &bytes)
    }

    func pack(into packer: inout Packer) {
        packer.add(Int(place))
        packer.add(key)
        packer.add(row.bytes)
        packer.add(text)
        packer.add(newAuthors)
        packer.add(full)
    }
}
