import BookDB

/// Walks a library's list by title, with what each row is filed under.
struct TitleOrder {
    let snapshot: Snapshot

    struct Step {
        let rank: Int
        let item: WorkListItem
        let key: [UInt8]
        /// The cursor from which BookDB's list goes on after this row; `nil` for the last row.
        let cursor: WorkCursor?
    }

    func forEach(_ body: (Step) throws -> Void) throws {
        let list = snapshot.works.list()
        var cursor: WorkCursor?
        var lastKey: [UInt8] = []
        for rank in 0..<list.count {
            let page = try list.page(after: cursor, limit: 1)
            guard let item = page.items.first else { throw Failure("The library cannot be read at row \(rank).") }
            // The last row has no cursor, and so no key of its own: one that sorts after the row before it does as well.
            lastKey = page.next?.filingKey ?? lastKey + [0xFF]
            try body(Step(rank: rank, item: item, key: lastKey, cursor: page.next))
            cursor = page.next
        }
    }
}
