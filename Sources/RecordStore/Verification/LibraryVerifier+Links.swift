import StorageEngine

/// Links of the app's own records: each leads to a record that is there, unless some did not when it was declared.
extension LibraryVerifier {
    /// Gives how many records link to what is not there, of links that never were whole.
    mutating func verifyAppLinks() -> Int {
        var brokenCount = 0
        attempt(\.appRecords) { (verifier) throws(LibraryError) in
            for link in try verifier.version.storedLinks() {
                let (count, example, target) = try verifier.brokenLinks(of: link)
                guard let example else { continue }
                if !link.isWhole {
                    brokenCount += count
                    continue
                }
                let others = count == 1 ? "" : ", and \(count - 1) more lead nowhere"
                verifier.appRecords.report(
                    "The \(link.fieldName) of \(link.kind) \(ID<AppRecord>(rawValue: example)) \(link.field.isList ? "have" : "is") "
                        + "\(LinkedRecord(target: link.target, id: target).words), which is not there\(others).")
            }
        }
        return brokenCount
    }

    private func brokenLinks(
        of link: StoredLink
    ) throws(LibraryError) -> (count: Int, example: UInt64?, target: UInt64) {
        let broken = try version.brokenTargets(of: link) { Task.isCancelled }
        return (broken.counts.values.reduce(0, +), broken.example, broken.exampleTarget)
    }
}

/// What records name by a link and is not there.
struct BrokenTargets {
    /// By how many records each is named.
    var counts: [UInt64: Int] = [:]
    /// The first record that names one, and what it names.
    var example: UInt64?
    var exampleTarget: UInt64 = 0
}

extension Version {
    /// So many names are looked up together.
    private static var targetBatchCount: Int { 1 << 16 }

    /// Reads every record of the link's kind once. Memory grows with what is missing.
    func brokenTargets(
        of link: StoredLink, isCancelled: () -> Bool = { false }
    ) throws(LibraryError) -> BrokenTargets {
        var broken = BrokenTargets()
        guard let tree = kindTree(link.kind) else { return broken }
        var named: [UInt64: (count: Int, first: UInt64)] = [:]
        func settle() throws(LibraryError) {
            for (target, links) in named where try !has(link.target, target) {
                broken.counts[target, default: 0] += links.count
                if links.first < broken.example ?? .max {
                    (broken.example, broken.exampleTarget) = (links.first, target)
                }
            }
            named.removeAll(keepingCapacity: true)
        }
        var records = RecordIterator(self, tree)
        while let (key, value) = try records.nextEntry() {
            guard !isCancelled() else { throw .cancelled }
            // One that cannot be read is reported elsewhere.
            guard key.count == 8, let targets = try? link.field.identifiers(in: value) else { continue }
            for target in Set(targets) { named[target, default: (0, key.number(at: 0))].count += 1 }
            if named.count >= Self.targetBatchCount { try settle() }
        }
        try settle()
        return broken
    }
}
