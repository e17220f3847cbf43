import LibrarySupport
import StorageEngine
import TestSupport
import Testing

@testable import RecordStore

/// Three versions of an app and the libraries of each: every pair takes turns in a library that one of them has made.
@Suite struct VersionMatrixTests {
    /// What is known of an item, whichever version wrote it last.
    private struct Known {
        var name: String
        var price: Int
        /// Whether the third version has converted the price.
        var isConverted: Bool
        var code: String?
    }

    private final class App {
        let fileSystem = MemoryFileSystem()
        var random: SeededGenerator
        var items: [UInt64: Known] = [:]
        var people: Set<String> = []
        var companies: Set<String> = []
        var events: Set<String> = []
        var number = 0

        init(seed: UInt64) { random = SeededGenerator(seed: seed) }

        func next() -> Int {
            number += 1
            return number
        }

        func open() throws -> RecordLibrary {
            try RecordLibrary(at: "App.bookdb", fileSystem: fileSystem, device: 7)
        }
    }

    static let pairs = AppVersion.allCases.flatMap { library in AppVersion.allCases.map { (library, $0) } }

    @Test(arguments: pairs, [1, 2, 3] as [UInt64])
    func `whoever made a library, versions that take turns find all of it and keep each other's orders right`(
        pair: (library: AppVersion, app: AppVersion), seed: UInt64
    ) async throws {
        let app = App(seed: seed)
        // The library as its own version leaves it.
        try await run(pair.library, app, steps: 40)
        for round in 0..<4 {
            try await run(round % 2 == 0 ? pair.app : pair.library, app, steps: 12)
        }
        // And at last whoever is new to it.
        for version in AppVersion.allCases { try await run(version, app, steps: 4) }
    }

    /// An opening by a version: it brings the library up to date, writes, looks at all of it, and closes.
    private func run(_ version: AppVersion, _ app: App, steps: Int) async throws {
        let store = try app.open()
        if version == .third {
            try await AppVersion.bringUpToDate(store)
            for id in app.items.keys { app.items[id]?.isConverted = true }
        }
        for _ in 0..<steps {
            switch version {
            case .first: try await writeFirst(store, app)
            case .second: try await writeSecond(store, app)
            case .third: try await writeThird(store, app)
            }
        }
        switch version {
        case .first: try await store.makeOrders(of: FirstItem.self)
        case .second: try await store.makeOrders(of: SecondItem.self)
        case .third: try await store.makeOrders(of: ThirdItem.self)
        }
        expectSound(store.snapshot)
        try check(version, store.snapshot, app)
        if Bool.random(using: &app.random) { _ = try await store.compact() }
        try await store.close()
    }

    // MARK: Writing

    private func writeFirst(_ store: RecordLibrary, _ app: App) async throws {
        switch Int.random(in: 0..<6, using: &app.random) {
        case 0, 1:
            let number = app.next()
            let id = try await store.insert(FirstItem(name: "item \(number)", price: number % 100, note: "n"), .memory)
            app.items[id.rawValue] = Known(name: "item \(number)", price: number % 100, isConverted: false)
        case 2:
            guard let id = app.items.keys.sorted().randomElement(using: &app.random) else { return }
            let price = app.next() % 100 + 100
            try await store.update(ID<FirstItem>(rawValue: id), .memory) { $0.price = price }
            app.items[id]?.price = price
            app.items[id]?.isConverted = false
        case 3:
            guard let id = app.items.keys.sorted().randomElement(using: &app.random) else { return }
            try await store.delete(ID<FirstItem>(rawValue: id), .memory)
            app.items[id] = nil
        case 4:
            let name = "person \(app.next())"
            try await store.insert(FirstPerson(name: name), .memory)
            app.people.insert(name)
        default:
            let (company, event) = ("company \(app.next())", "event \(app.next())")
            try await store.insert(FirstCompany(name: company), .memory)
            try await store.insert(FirstEvent(title: event, isTrip: app.number % 2 == 0), .memory)
            app.companies.insert(company)
            app.events.insert(event)
        }
    }

    private func writeSecond(_ store: RecordLibrary, _ app: App) async throws {
        switch Int.random(in: 0..<6, using: &app.random) {
        case 0, 1:
            let number = app.next()
            let person = try await store.insert(FirstPerson(name: "person \(number)"), .memory)
            app.people.insert("person \(number)")
            let item = SecondItem(
                name: "item \(number)", price: number % 100, remark: "r", owner: person,
                tags: ["t\(number % 5)"], code: "Code \(number)")
            let id = try await store.insert(item, .memory)
            app.items[id.rawValue] = Known(
                name: item.name, price: item.price, isConverted: false, code: item.code)
        case 2:
            guard let id = app.items.keys.sorted().randomElement(using: &app.random) else { return }
            let price = app.next() % 100 + 200
            try await store.update(ID<SecondItem>(rawValue: id), .memory) { $0.price = price }
            app.items[id]?.price = price
            app.items[id]?.isConverted = false
        case 3:
            guard let id = app.items.keys.sorted().randomElement(using: &app.random) else { return }
            let name = "renamed \(app.next())"
            try await store.update(ID<SecondItem>(rawValue: id), .memory) { $0.name = name }
            app.items[id]?.name = name
        case 4: try await expectRefused(app) { try await store.insert(SecondItem(name: "double", code: $0), .memory) }
        default:
            guard let name = app.people.sorted().first,
                let person = try store.snapshot.records(FirstPerson.self).all.first(where: { $0.name == name })
            else { return }
            try await store.delete(person.id, .memory)
            app.people.remove(name)
        }
    }

    private func writeThird(_ store: RecordLibrary, _ app: App) async throws {
        switch Int.random(in: 0..<6, using: &app.random) {
        case 0, 1:
            let number = app.next()
            let contact = try await store.insert(Contact(name: "person \(number)"), .memory)
            app.people.insert("person \(number)")
            let item = ThirdItem(
                name: "item \(number)", owner: contact, tags: ["t\(number % 5)"], code: "Code \(number)",
                cost: Money(number % 100))
            let id = try await store.insert(item, .memory)
            app.items[id.rawValue] = Known(
                name: item.name, price: number % 100, isConverted: true, code: item.code)
        case 2, 3:
            guard let id = app.items.keys.sorted().randomElement(using: &app.random) else { return }
            let price = app.next() % 100 + 300
            try await store.update(ID<ThirdItem>(rawValue: id), .memory) { $0.cost = Money(price) }
            app.items[id]?.price = price
        case 4: try await expectRefused(app) { try await store.insert(ThirdItem(name: "double", code: $0), .memory) }
        default:
            let title = "event \(app.next())"
            try await store.insert(Meeting(title: title), .memory)
            app.events.insert(title)
        }
    }

    /// Of a code that an item has already.
    private func expectRefused(_ app: App, _ insert: (String) async throws -> Void) async throws {
        guard let code = app.items.values.compactMap(\.code).sorted().randomElement(using: &app.random) else { return }
        let error = await libraryError { try await insert(code) }
        guard case .notUnique? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
    }

    // MARK: Looking

    private func check(_ version: AppVersion, _ now: Snapshot, _ app: App) throws {
        let known = app.items
        let names = known.values.map(\.name).sorted()
        switch version {
        case .first:
            #expect(try now.list(FirstItem.self, "list").map(\.name) == names)
            let items = try now.records(FirstItem.self).all.map { $0 }
            #expect(try now.records(FirstItem.self).sorted(by: \.price).map(\.price) == items.map(\.price).sorted())
            expect(items.map { ($0.id.rawValue, $0.name, $0.price) }, are: known)
        case .second:
            let items = try now.records(SecondItem.self).all.map { $0 }
            expect(items.map { ($0.id.rawValue, $0.name, $0.price) }, are: known)
            let sorted = items.sorted { ($1.price, $0.name) < ($0.price, $1.name) }
            let list = try now.list(SecondItem.self, "list")
            #expect(list.map(\.id) == sorted.map(\.id))
            #expect(try list.sum(\.price) == items.reduce(0) { $0 + $1.price })
            #expect(try now.list(SecondItem.self, "by tag").count == items.reduce(0) { $0 + $1.tags.count })
            #expect(try list.filtered(by: "cheap").count == items.count { $0.price < 50 })
        case .third:
            let items = try now.records(ThirdItem.self).all.map { $0 }
            #expect(items.allSatisfy { $0.price == nil })
            #expect(items.count == known.count)
            for item in items { #expect(item.cost == known[item.id.rawValue].map { Money($0.price) }) }
            let list = try now.list(ThirdItem.self, "list")
            #expect(try list.sum(\.cost) == items.reduce(0) { $0 + ($1.cost ?? 0) })
            #expect(try list.filtered(by: "cheap").count == items.count { $0.cost ?? 80 < 80 })
            #expect(try now.list(ThirdItem.self, "not converted").isEmpty)
            let contacts = try now.records(Contact.self).all.map { $0 }
            #expect(Set(contacts.filter { !$0.isCompany }.map(\.name)) == app.people)
            #expect(Set(contacts.filter(\.isCompany).map(\.name)) == app.companies)
            #expect(try now.records(FirstPerson.self).count + now.records(FirstCompany.self).count == 0)
            let titles = try now.records(Meeting.self).all.map(\.title) + now.records(Trip.self).all.map(\.title)
            #expect(titles.sorted() == app.events.sorted())
            // Who owned an item does so still, as a contact.
            let owners = Set(contacts.map(\.id.rawValue))
            for item in items {
                if let owner = item.owner { #expect(owners.contains(owner.rawValue), "\(item)") }
            }
        }
    }

    private func expect(_ items: [(id: UInt64, name: String, price: Int)], are known: [UInt64: Known]) {
        #expect(items.count == known.count)
        for item in items {
            // A price that the third version has converted is no field of the others.
            let price = known[item.id].map { $0.isConverted ? 0 : $0.price }
            #expect(item.name == known[item.id]?.name && item.price == price, "\(item)")
        }
    }
}
