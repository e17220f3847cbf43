/// What the reader did with a work, as every store is given it and gives it back.
struct EntryRecord: Codable, Sendable {
    var work: Int64
    var status: Int
    var rating: Int?
    /// Days since 1970.
    var started: Int?
    var finished: Int?
    var readCount: Int
    var notes: String?
    var review: String?
    var tags: [String]
    var isOwned: Bool
}

extension EntryRecord: Packed {
    init(from bytes: inout Unpacker) {
        work = Int64(bytes.number())
        status = bytes.number()
        rating = bytes.optionalNumber()
        started = bytes.optionalNumber()
        finished = bytes.optionalNumber()
        readCount = bytes.number()
        notes = bytes.optionalText()
        review = bytes.optionalText()
        tags = bytes.list { $0.text() }
        isOwned = bytes.number() == 1
    }

    func pack(into packer: inout Packer) {
        packer.add(Int(work))
        packer.add(status)
        packer.add(rating)
        packer.add(started)
        packer.add(finished)
        packer.add(readCount)
        packer.add(notes)
        packer.add(review)
        packer.add(tags) { $0.add($1) }
        packer.add(isOwned ? 1 : 0)
    }
}
