/// A sitting with a book: a record of an app's own, kept beside its works.
struct SessionRecord: Codable, Sendable {
    var work: Int64
    /// Days since 1970.
    var day: Int
    var pages: Int
    var note: String

    /// Ten years of days, in no order.
    static let days = 16_000..<19_650
    /// A tenth of them.
    static let summedDays = 17_000..<17_365
    static let soughtPages = 77

    init(work: Int64, day: Int, pages: Int, note: String) {
        self.work = work
        self.day = day
        self.pages = pages
        self.note = note
    }

    /// A different one for each number.
    init(number: Int, _ plan: Plan) {
        work = plan.anchors[number * 31 % plan.anchors.count].id
        day = Self.days.lowerBound + number * 104_729 % Self.days.count
        pages = 1 + number * 7919 % 120
        note = "On the train, chapter \(number % 40 + 1)"
    }
}

extension SessionRecord: Packed {
    init(from bytes: inout Unpacker) {
        work = Int64(bytes.number())
        day = bytes.number()
        pages = bytes.number()
        note = bytes.text()
    }

    func pack(into packer: inout Packer) {
        packer.add(Int(work))
        packer.add(day)
        packer.add(pages)
        packer.add(note)
    }
}
