import BookDB
import Foundation

/// The folder of the tracker: its library, which is made on the first run, and copies for the cases that are played.
struct TrackerFolder: Sendable {
    let path: String

    /// In the temporary directory.
    static var standard: TrackerFolder {
        TrackerFolder(path: FileManager.default.temporaryDirectory.appendingPathComponent("BookTracker").path)
    }

    func library(_ size: LibrarySize) -> String { path + "/Library-\(size.works).bookdb" }

    /// Makes the library unless it is there.
    ///
    /// It is made under another name, so that one that was left half made is not taken for a whole one.
    ///
    /// - Returns: how long that took; `nil` when the library was there.
    func makeLibrary(_ size: LibrarySize) async throws -> Duration? {
        let path = library(size)
        guard !FileManager.default.fileExists(atPath: path) else { return nil }
        try FileManager.default.createDirectory(atPath: self.path, withIntermediateDirectories: true)
        let start = ContinuousClock.now
        let unfinished = path + Self.unfinishedEnding
        if FileManager.default.fileExists(atPath: unfinished) { try FileManager.default.removeItem(atPath: unfinished) }
        let store = try await BookStore.open(at: unfinished)
        do {
            try await store.fill(withSample: size.works)
            try await addPurchases(size.purchases, to: store)
            // Folds everything into the snapshot and makes the search file, as the first large import of an app would.
            try await store.compact()
        } catch {
            try? await store.close()
            throw error
        }
        try await store.close()
        try FileManager.default.moveItem(atPath: unfinished, toPath: path)
        return start.duration(to: .now)
    }

    private static let unfinishedEnding = ".unfinished"

    /// Five accounts, and purchases over three thousand days, the same on every run.
    private func addPurchases(_ count: Int, to store: BookStore) async throws {
        let works = try store.snapshot.works.list(by: .added).page(offset: 0, limit: count).map(\.id)
        try await store.load(Account.self, Purchase.self) { library in
            var accounts: [ID<Account>] = []
            for name in ["Cash", "Card", "Vouchers", "Shop credit", "Gifts"] {
                accounts.append(try library.insert(Account(name: name)))
            }
            for number in 0..<count {
                try library.insert(
                    Purchase(
                        account: accounts[number * 7 % accounts.count],
                        work: works.isEmpty ? nil : works[number % works.count],
                        date: Day(daysSince1970: Int32(17_000 + number * 7_919 % 3_000)),
                        amount: Money(tenThousandths: Int64(number * 37 % 400) * 1_000 + 9_900)))
            }
        }
    }

    // MARK: Copies

    /// A copy of the library to play a case on.
    func copyLibrary(_ size: LibrarySize) throws -> LibraryCopy {
        let copy = LibraryCopy(path: path + "/" + Self.copyBeginning + UUID().uuidString.prefix(8) + ".bookdb")
        try FileManager.default.copyItem(atPath: library(size), toPath: copy.path)
        return copy
    }

    private static let copyBeginning = "Copy-"

    /// Whether a name is that of a copy, or of its backup: `Copy-1A2B3C4D.bookdb`. What else begins so is its owner's.
    private static func isCopy(_ name: String) -> Bool {
        guard name.hasPrefix(copyBeginning) else { return false }
        let rest = name.dropFirst(copyBeginning.count)
        return rest.prefix(8).count == 8 && rest.prefix(8).allSatisfy { $0.isHexDigit }
            && [".bookdb", ".bookdb.backup"].contains(rest.dropFirst(8))
    }

    /// Removes copies that were left behind by runs that were broken off.
    ///
    /// - Returns: how many there were.
    func removeCopies(olderThan age: Duration) throws -> Int {
        let limit = Date(timeIntervalSinceNow: -(age / .seconds(1)))
        var count = 0
        for name in try FileManager.default.contentsOfDirectory(atPath: path) where Self.isCopy(name) {
            let copy = path + "/" + name
            let changed = try FileManager.default.attributesOfItem(atPath: copy)[.modificationDate] as? Date
            guard let changed, changed < limit else { continue }
            try FileManager.default.removeItem(atPath: copy)
            count += 1
        }
        return count
    }
}
