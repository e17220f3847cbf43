import StorageEngine
import Testing

@testable import RecordStore

/// Three versions of an app, with every change that a schema goes through between them.
enum AppVersion: Int, CaseIterable, CustomStringConvertible {
    case first = 1, second, third
    var description: String { "version \(rawValue)" }
}

// MARK: - The first version

struct FirstItem: Record {
    var id: ID<FirstItem> = .unassigned
    var name = ""
    var price = 0
    var note = ""
    enum CodingKeys: Int, CodingKey { case id = 0, name = 1, price = 2, note = 3 }
    static let recordName = "Item"
    static let indexes = [Index(\.price)]
    static let schema = Schema { Order("list", \.name) }
}

struct FirstPerson: Record {
    var id: ID<FirstPerson> = .unassigned
    var name = ""
    enum CodingKeys: Int, CodingKey { case id = 0, name = 1 }
    static let recordName = "Person"
}

struct FirstCompany: Record {
    var id: ID<FirstCompany> = .unassigned
    var name = ""
    enum CodingKeys: Int, CodingKey { case id = 0, name = 1 }
    static let recordName = "Company"
    static let uniqueKeys = [Unique(\.name)]
}

struct FirstEvent: Record {
    var id: ID<FirstEvent> = .unassigned
    var title = ""
    var isTrip = false
    enum CodingKeys: Int, CodingKey { case id = 0, title = 1, isTrip = 2 }
    static let recordName = "Event"
    static let schema = Schema { Order("by title", \.title) }
}

// MARK: - The second: fields, an order, sums, facets, a unique key and a link more; a field is renamed, an order changed, an index dropped

struct SecondItem: Record {
    var id: ID<SecondItem> = .unassigned
    var name = ""
    var price = 0
    var remark = ""
    var owner: Reference<FirstPerson>?
    var tags: [String] = []
    var code: String?
    enum CodingKeys: Int, CodingKey { case id = 0, name = 1, price = 2, remark = 3, owner = 5, tags = 6, code = 7 }
    static let recordName = "Item"
    static let uniqueKeys = [Unique(\.code)]
    static let renamed = [Renamed(\.remark, from: "note")]
    static let schema = Schema {
        Link(\.owner, onDelete: .nullify)
        Order("list", .descending(\.price), .ascending(\.name)).sum(\.price)
        Order("by tag", .each(\.tags))
        Order("by owner", .linked(\.owner, .ascending(\.name)))
        Facet("cheap", \.price < 50)
    }
}

// MARK: - The third: a field goes, one changes its type, orders go and change; two kinds are merged, one is split

struct ThirdItem: Record {
    var id: ID<ThirdItem> = .unassigned
    var name = ""
    /// What `cost` was before.
    var price: Int?
    var owner: Reference<Contact>?
    var tags: [String] = []
    var code: String?
    var cost: Money?
    enum CodingKeys: Int, CodingKey { case id = 0, name = 1, price = 2, owner = 5, tags = 6, code = 7, cost = 8 }
    static let recordName = "Item"
    static let uniqueKeys = [Unique(\.code, folded: true)]
    static let schema = Schema {
        Link(\.owner, onDelete: .nullify)
        Order("list", .descending(\.cost), .ascending(\.name)).sum(\.cost)
        Order("not converted", .present(\.price))
        Order("by owner", .linked(\.owner, .ascending(\.name)))
        Facet("cheap", \.cost < 80)
    }
}

struct Contact: Record {
    var id: ID<Contact> = .unassigned
    var name = ""
    var isCompany = false
    enum CodingKeys: Int, CodingKey { case id = 0, name = 1, isCompany = 2 }
    static let schema = Schema { Order("by name", \.name) }
}

struct Meeting: Record {
    var id: ID<Meeting> = .unassigned
    var title = ""
    enum CodingKeys: Int, CodingKey { case id = 0, title = 1 }
    static let indexes = [Index(\.title)]
}

struct Trip: Record {
    var id: ID<Trip> = .unassigned
    var title = ""
    enum CodingKeys: Int, CodingKey { case id = 0, title = 1 }
}

extension AppVersion {
    /// What the third version does at its launch, in the background.
    static func bringUpToDate(_ store: RecordLibrary) async throws {
        let items = try store.snapshot.records(ThirdItem.self).where(\.price != nil)
        try await store.migrate(items, .memory) { item, library in
            var item = item
            guard let price = item.price else { return }
            item.cost = Money(price)
            item.price = nil
            try library.update(item)
        }
        try await store.migrate(store.snapshot.records(FirstPerson.self).all, .memory) { person, library in
            try library.replace(person.id, with: Contact(name: person.name))
        }
        try await store.migrate(store.snapshot.records(FirstCompany.self).all, .memory) { company, library in
            try library.replace(company.id, with: Contact(name: company.name, isCompany: true))
        }
        try await store.migrate(store.snapshot.records(FirstEvent.self).all, .memory) { event, library in
            if event.isTrip {
                try library.replace(event.id, with: Trip(title: event.title))
            } else {
                try library.replace(event.id, with: Meeting(title: event.title))
            }
        }
    }
}
