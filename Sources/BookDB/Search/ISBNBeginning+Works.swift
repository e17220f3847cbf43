import RecordStore
import StorageEngine

/// The works that have an ISBN which begins as typed.
extension ISBNBeginning {
    /// Of one ISBN beginning at most so many works are found, the first by number.
    private static let maximumWorkCount = 1000

    /// Their positions in the list by title.
    func found(in version: Version) throws(StorageError) -> SearchedNumbers {
        var works: [ID<Work>] = []
        var known: Set<ID<Work>> = []
        for numbers in numbers {
            let start = try version.lowerBound(of: .bigEndian(numbers.lowerBound), in: LibraryTree.isbns)
            let end = try version.lowerBound(of: .bigEndian(numbers.upperBound), in: LibraryTree.isbns)
            try version.forEachEntry(in: LibraryTree.isbns, positions: start..<max(start, end)) {
                (entry) throws(StorageError) in
                let work = try entry.withKey { key in
                    key.byteCount == 24 ? ID<Work>(rawValue: key.loadBigEndian(at: 8)) : nil
                }
                if let work, known.insert(work).inserted { works.append(work) }
                return works.count < Self.maximumWorkCount
            }
        }
        var positions: [Int] = []
        for work in works {
            // A record that cannot be read is found by its words all the same.
            guard let key = try? version.key(of: work, in: WorkOrder.title.index),
                try version.contains(key, in: LibraryTree.title)
            else { continue }
            positions.append(try version.lowerBound(of: key, in: LibraryTree.title))
        }
        return SearchedNumbers(positions: positions.sorted(), areSure: isSure)
    }
}
