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
        var named: [UInt64: (count: Int, first: UInt64)] = [:]
        do {
            guard let tree = version.kindTree(link.kind) else { return (0, nil, 0) }
            try version.scan(tree) { key, value in
                // One that cannot be read is reported elsewhere.
                if key.byteCount == 8,
                    let targets = try? link.field.identifiers(in: value.copyBytes(0..<value.byteCount))
                {
                    let id: UInt64 = key.loadBigEndian(at: key.byteCount - 8)
                    for target in Set(targets) { named[target, default: (0, id)].count += 1 }
                }
                return true
            }
        } catch {
            throw LibraryError(error)
        }
        var broken: (count: Int, example: UInt64?, target: UInt64) = (0, nil, 0)
        for (target, links) in named where try !version.has(link.target, target) {
            broken.count += links.count
            guard links.first < broken.example ?? .max else { continue }
            (broken.example, broken.target) = (links.first, target)
        }
        return broken
    }
}
