import BookDB

/// Walks a library's list by title, with what each row is filed under.
struct TitleOrder {
    let snapshot: Snapshot

    struct Step {
        let rank: Int
        let item: WorkListItem
        let key: [UInt8]
        /// BookDB's cursor to go on behind the row; `nil` for the last row.
        let cursor: WorkCursor?
    }

    func forEach(_ body: (Step) throws -> Void) throws {
        let list = snapshot.works.sorted()
        var cursor: WorkCursor?
        var lastKey: [UInt8] = []
        for rank in 0..<list.count {
            let page = try list.page(after: cursor, limit: 1)
            guard let item = page.items.first else { throw Failure("The library cannot be read at row \(rank).") }
            // The last row has no cursor to take its key from: any key behind the one before it serves.
            lastKey = page.next?.filingKey ?? lastKey + [0xFF]
            try body(Step(rank: rank, item: item, key: lastKey, cursor: page.next))
            cursor = page.next
        }
    }
}
