import BookDB

/// Records with everything that a schema can say.
enum FuzzSchema {
    struct Purse: Record {
        var id: ID<Purse> = .unassigned
        var name = ""
        enum CodingKeys: Int, CodingKey { case id, name }
        static let uniqueKeys = [Unique(\.name, folded: true)]
    }

    struct Label: Record {
        var id: ID<Label> = .unassigned
        var parent: Reference<Label>?
        var name = "label"
        enum CodingKeys: Int, CodingKey { case id, parent, name }
        static let schema = Schema {
            Link(\.parent, onDelete: .cascade)
            Order("by parent", .linked(\.parent, .descending(\.name)), .filed(\.name))
        }
    }

    struct Move: Record {
        struct Part: RecordPart {
            var kind: Int?
            var text = ""
            var share: Money = 0
            enum CodingKeys: Int, CodingKey { case kind, text = 30, share = 2 }
        }

        var id: ID<Move> = .unassigned
        var from: Reference<Purse>?
        var to: Reference<Purse>?
        var date: Day?
        var sent: Money?
        var sentIn = "EUR"
        var received: Money = 0
        var receivedIn = "EUR"
        var note = ""
        var tags: [String] = []
        var labels: [Reference<Label>] = []
        var parts: [Part] = []
        enum CodingKeys: Int, CodingKey {
            case id, from, to, date, sent, sentIn, received, receivedIn, note, tags, labels, parts
        }
        static let indexes = [Index(\.note)]
        static let schema = Schema {
            Link(\.from, onDelete: .cascade)
            Link(\.to, onDelete: .nullify)
            Link(\.labels, onDelete: .nullify)
            Order("statement") {
                Stand(.present(\.from), .descending(\.date)).sum(minus: \.sent, in: \.sentIn, findsRows: true)
                Stand(.present(\.to), .descending(\.date)).sum(\.received, in: \.receivedIn, findsRows: true)
            }
            Home(Order("newest", .descending(\.date)).sum(\.received))
            Order("by note", .folded(\.note), .ascending(\.sent, absentFirst: true))
            Order("by tag", .eachFolded(\.tags), .ascending(\.date)).sum(\.received)
            Order("by part", .each(\.parts, \.kind), .eachFolded(\.parts, \.text)).sum(each: \.parts, \.share)
            Order(
                "by purse", .linked(\.to, .filed(\.name, descending: true)), .linked(first: \.labels, .folded(\.name))
            )
            .sum(\.received)
            Order("as written", .beginning(\.note), .first(\.tags))
            Facet("large", \.received > 10)
            Facet("unsent", \.sent == nil)
        }
    }
}
