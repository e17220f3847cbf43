import RecordStore
import StorageEngine

/// The works that have an ISBN which begins as typed.
extension ISBNBeginning {
    /// Of one ISBN beginning at most so many works are found, the first by number.
    private static let maximumWorkCount = 1000
    /// So many are looked at for those: a filter may let few through.
    private static let maximumSeenCount = 10_000

    /// Their positions in the list by title.
    ///
    /// - Parameter facet: that of the works which are asked for.
    func found(in version: Version, _ facet: Facet?) throws(StorageError) -> SearchedNumbers {
        var known: Set<ID<Work>> = []
        var positions: [Int] = []
        for numbers in numbers {
            let start = try version.lowerBound(of: .bigEndian(numbers.lowerBound), in: LibraryTree.isbns)
            let end = try version.lowerBound(of: .bigEndian(numbers.upperBound), in: LibraryTree.isbns)
            try version.forEachEntry(in: LibraryTree.isbns, positions: start..<max(start, end)) {
                (entry) throws(StorageError) in
                let work = try entry.withKey { key in
                    key.byteCount == 24 ? ID<Work>(rawValue: key.loadBigEndian(at: 8)) : nil
                }
                if let work, known.insert(work).inserted, let position = try version.position(of: work, facet) {
                    positions.append(position)
                }
                return positions.count < Self.maximumWorkCount && known.count < Self.maximumSeenCount
            }
        }
        return SearchedNumbers(positions: positions.sorted(), areSure: isSure)
    }
}

extension Version {
    /// Where a work stands in the list by title, when a filter lets it through. A record that cannot be read is found by its words all the same.
    fileprivate func position(of work: ID<Work>, _ facet: Facet?) throws(StorageError) -> Int? {
        guard let key = try? key(of: work, in: WorkOrder.title.index),
            let facets = try facets(forKey: key, in: LibraryTree.title), facet.map(facets.contains) ?? true
        else { return nil }
        return try lowerBound(of: key, in: LibraryTree.title)
    }
}
