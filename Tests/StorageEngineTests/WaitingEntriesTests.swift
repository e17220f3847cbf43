import Synchronization
import TestSupport
import Testing

@testable import StorageEngine

/// What commits leave for later while the log is busy, where it cannot be put into its tree.
struct WaitingEntriesTests {
    private struct NoLeaf: Error {}
    private struct Abandoned: Error {}

    private static let others = TreeNumber(2)
    private static let trees = numberTrees + [TreeDeclaration(others, "others")]

    private let turnstile = Turnstile()

    private func open(mostCommitsOfRun: Int = 128) throws -> Database {
        var options = Options(compaction: .manual)
        options.mostCommitsOfRun = mostCommitsOfRun
        return try Database.open(at: "A", trees: Self.trees, options: options, fileSystem: turnstile.fileSystem)
    }

    /// A store in which a page cannot be read, and a key that was on it.
    ///
    /// - Parameter isMet: whether the log changes that page. Then the opening finds it, and the tree cannot be read.
    private func damagedStore(
        isMet: Bool = false, mostCommitsOfRun: Int = 128
    ) async throws -> (Database, lost: UInt64) {
        let database = try open()
        try await database.put(0..<2000)
        try await database.compact()
        if isMet { try await database.put(0..<2000, value: "new") }
        try await database.close()
        let lost = try loseLeaf(of: "A/snapshot-0000000000000002", isMet: isMet)
        let damaged = try open(mostCommitsOfRun: mostCommitsOfRun)
        // Its flush is found to be slow.
        try await damaged.write { transaction in try transaction.put([1], forKey: 1, in: Self.others) }
        return (damaged, lost)
    }

    /// Spoils a page of the snapshot, and gives a key that was on it.
    private func loseLeaf(of path: String, isMet: Bool) throws -> UInt64 {
        let bytes = try turnstile.fileSystem.bytes(of: path)
        for page in 1..<bytes.count / 4096 {
            var damaged = bytes
            damaged[page * 4096 + 100] ^= 0x40
            let files = try turnstile.fileSystem.copy()
            try files.replace(path, with: damaged)
            guard let database = try? Database.open(at: "A", trees: Self.trees, fileSystem: files) else { continue }
            func isThere(_ key: UInt64) -> Bool { (try? database.version.contains(.key(key), in: numbers)) == true }
            if isMet {
                if database.opening.damagedTrees.map(\.declaration.number) != [numbers] { continue }
                try turnstile.fileSystem.replace(path, with: damaged)
                return 0
            }
            guard let lost = (0..<2000).first(where: { !isThere($0) }), (0..<2000).contains(where: isThere) else {
                continue
            }
            try turnstile.fileSystem.replace(path, with: damaged)
            return lost
        }
        throw NoLeaf()
    }

    @Test(arguments: [128, 4])
    func `what cannot be put into its tree is refused, with what its run has behind it and nothing else`(
        mostCommitsOfRun: Int
    ) async throws {
        let (damaged, lost) = try await damagedStore(mostCommitsOfRun: mostCommitsOfRun)
        for round in 1...3 {
            let order = Mutex<[Int]>([])
            let outcomes = try await turnstile.gather(40, in: damaged) { number, transaction in
                order.withLock { $0.append(number) }
                try transaction.putLater([UInt8(round)], forKey: UInt64(3000 + number), in: numbers)
                if number == 17 { try transaction.putLater([1], forKey: lost, in: numbers) }
            }
            let numbersInOrder = order.withLock { $0 }
            let bad = try #require(numbersInOrder.firstIndex(of: 17))
            for (place, number) in numbersInOrder.enumerated() {
                // What is not held back, the first, is refused by itself.
                let end = bad == 0 ? 0 : (bad - 1) / mostCommitsOfRun * mostCommitsOfRun + mostCommitsOfRun
                let isKept = place < bad || place > end
                #expect(((try? outcomes[number].get()) != nil) == isKept, "\(place) of \(bad)")
                let value = try damaged.version.value(forKey: UInt64(3000 + number), in: numbers) { $0.copyBytes() }
                #expect((value == [UInt8(round)]) == isKept)
            }
            #expect(damaged.version.memoryFindings() == [])
        }
        try await damaged.put(5000..<5001)
        let end = damaged.version.commitNumber
        try await damaged.close()
        let reopened = try open()
        #expect(reopened.version.commitNumber == end)
        #expect(try reopened.version.contains(.key(5000), in: numbers))
        try await reopened.close()
    }

    /// What a transaction does while another's entry waits that cannot be put.
    enum Meeting: CaseIterable { case throwing, forgiving, reading, emptying }

    @Test(arguments: Meeting.allCases) func `whoever meets an entry that cannot be put finds it out for all`(
        _ meeting: Meeting
    ) async throws {
        let (database, lost) = try await damagedStore()
        let order = Mutex<[Int]>([])
        let (bad, met) = (5, 8)
        let outcomes = try await turnstile.gather(20, in: database) { number, transaction in
            let place = order.withLock { order in
                order.append(number)
                return order.count - 1
            }
            if place == met {
                switch meeting {
                case .throwing:
                    try transaction.putLater([UInt8](repeating: 7, count: 70_000), forKey: .key(4000), in: numbers)
                case .forgiving:
                    try? transaction.putLater([UInt8](repeating: 7, count: 70_000), forKey: .key(4000), in: numbers)
                case .reading: _ = try? transaction.contains(.key(3000), in: numbers)
                case .emptying: try transaction.removeAll(in: numbers)
                }
            }
            try transaction.putLater([1], forKey: UInt64(3000 + place), in: numbers)
            try transaction.putLater([1], forKey: UInt64(3000 + place), in: Self.others)
            if place == bad { try transaction.putLater([1], forKey: lost, in: numbers) }
        }
        for (place, number) in order.withLock({ $0 }).enumerated() {
            let isKept = meeting == .emptying || place < bad || place > met
            #expect(((try? outcomes[number].get()) != nil) == isKept, "\(place)")
            let key = UInt64(3000 + place)
            #expect(try database.version.contains(.key(key), in: Self.others) == isKept)
            let isThere = meeting == .emptying ? place >= met : isKept
            #expect(try database.version.contains(.key(key), in: numbers) == isThere)
        }
        #expect(database.version.memoryFindings() == [])
        #expect(database.version.damagedTrees.isEmpty)
        if meeting == .emptying { #expect(try database.version.count(in: numbers) == 20 - met) }
        try await database.close()
        let reopened = try open()
        #expect(reopened.opening.damagedTrees.isEmpty)
        #expect(try reopened.version.count(in: numbers) == database.version.count(in: numbers))
        try await reopened.close()
    }

    /// What a transaction does while a group is with the log that has an entry which cannot be put.
    enum Following: CaseIterable { case leaving, reading, forgiving, changing, throwing }

    @Test(arguments: Following.allCases)
    func `a group that meets a damaged page is given back, and so are the commits behind it`(
        _ following: Following
    ) async throws {
        let (database, lost) = try await damagedStore()
        for round in 1...3 {
            let order = Mutex<[Int]>([])
            let outcomes = try await turnstile.gather(20, andThen: 10, in: database) { number, transaction in
                let place = order.withLock { order in
                    order.append(number)
                    return order.count - 1
                }
                let key = UInt64(round * 1000 + 2000 + place)
                if place == 22 {
                    switch following {
                    case .leaving: break
                    case .reading: _ = try transaction.contains(.key(key), in: numbers)
                    case .forgiving: _ = try? transaction.contains(.key(key), in: numbers)
                    case .changing: try transaction.put([1], forKey: key, in: Self.others)
                    case .throwing:
                        try transaction.putLater([1], forKey: key, in: numbers)
                        throw Abandoned()
                    }
                }
                for tree in [numbers, Self.others] { try transaction.putLater([2], forKey: key, in: tree) }
                if place == 6 { try transaction.putLater([1], forKey: lost, in: numbers) }
            }
            let isMet = following != .leaving
            for (place, number) in order.withLock({ $0 }).enumerated() {
                // Whoever comes behind the one that finds it out builds on nothing that is gone.
                let isKept = place < 6 || (isMet && place > 22)
                #expect(((try? outcomes[number].get()) != nil) == isKept, "\(place)")
                let key = UInt64(round * 1000 + 2000 + place)
                for tree in [numbers, Self.others] {
                    #expect(try database.version.contains(.key(key), in: tree) == isKept, "\(place)")
                }
            }
            #expect(database.version.memoryFindings() == [])
            #expect(database.version.damagedTrees.isEmpty)
        }
        try await database.put(9000..<9001)
        let kept = try Self.readable(database.version)
        let end = database.version.commitNumber
        try await database.close()
        let reopened = try open()
        #expect(reopened.version.commitNumber == end)
        #expect(reopened.opening.damagedTrees.isEmpty)
        #expect(try Self.readable(reopened.version) == kept)
        try await reopened.close()
    }

    /// What was put beside the damaged page.
    private static func readable(_ version: Version) throws -> [UInt64] {
        try (3000..<10_000).filter { try version.contains(.key($0), in: numbers) }
    }

    @Test func `a tree that is known to be unreadable refuses who writes to it, and nobody beside`() async throws {
        let (database, _) = try await damagedStore(isMet: true)
        #expect(database.opening.damagedTrees.map(\.declaration.number) == [numbers])
        let outcomes = try await turnstile.gather(30, in: database) { number, transaction in
            try transaction.putLater([1], forKey: UInt64(100 + number), in: Self.others)
            switch number % 5 {
            case 1: try transaction.putLater([1], forKey: UInt64(number), in: numbers)
            // Whoever forgives is refused, too.
            case 2: try? transaction.removeLater(.key(UInt64(number)), in: numbers)
            default: break
            }
        }
        for (number, outcome) in outcomes.enumerated() {
            let isKept = number % 5 != 1 && number % 5 != 2
            #expect(((try? outcome.get()) != nil) == isKept, "\(number)")
            #expect(try database.version.contains(.key(UInt64(100 + number)), in: Self.others) == isKept)
        }
        try await database.close()
    }
}
