import StorageEngine

/// Links of the app's own records: each leads to a record that is there, unless some did not when it was declared.
extension LibraryVerifier {
    /// Gives how many records link to what is not there, of links that never were whole.
    mutating func verifyAppLinks() -> Int {
        var brokenCount = 0
        attempt(\.appRecords) { (verifier) throws(BookError) in
            for link in try verifier.version.storedLinks() {
                let (count, example) = try verifier.brokenLinks(of: link)
                guard let example else { continue }
                if !link.isWhole {
                    brokenCount += count
                    continue
                }
                let others = count == 1 ? "" : " and \(count - 1) more"
                verifier.appRecords.report(
                    "The \(link.field) of \(link.kind) \(ID<AppRecord>(rawValue: example))\(others) is a \(link.target.words) that is not "
                        + "there.")
            }
        }
        return brokenCount
    }

    private func brokenLinks(of link: StoredLink) throws(BookError) -> (count: Int, example: UInt64?) {
        var named: [UInt64: (count: Int, first: UInt64)] = [:]
        do {
            try version.scan(LibraryTree.appRecords, prefix: AppRecordKey.prefix(Array(link.kind.utf8))) { key, value in
                // One that cannot be read is told elsewhere.
                if let target = try? link.identifier(in: value.copyBytes(0..<value.byteCount)) {
                    let id: UInt64 = key.loadBigEndian(at: key.byteCount - 8)
                    named[target, default: (0, id)].count += 1
                }
                return true
            }
        } catch {
            throw BookError(error)
        }
        var (count, example): (Int, UInt64?) = (0, nil)
        for (target, links) in named where try !version.has(link.target, target) {
            count += links.count
            example = min(example ?? links.first, links.first)
        }
        return (count, example)
    }
}
