/// The cold region of a snapshot, and that every byte of the file is accounted for.
extension Verifier {
    mutating func checkColdRegion(_ snapshot: SnapshotFile, _ uses: [UInt64: ColdUse]) {
        // Where blocks begin is told by the values that lie in them, also behind one that cannot be read.
        let starts = uses.keys.sorted()
        var following = starts[...]
        // What a damaged block claims to hold is read for its checksum: an enemy's file could have all of it read for every
        // value.
        var budget = 64 * snapshot.cold.byteCount
        var blocks: [UInt64: Int] = [:]
        var wrongHashes: [(place: Int, finding: String)] = []
        let region = snapshot.cold
        var blockCount = 0
        let before = report.damage.count
        var ahead = snapshot.readAhead
        var next: UInt64 = 0
        while next < snapshot.superblock.coldByteCount {
            ahead.reach(region.fileOffset + Int(next))
            do throws(StorageError) {
                let block = try snapshot.withBytes { (bytes) throws(StorageError) in
                    try region.block(at: next, in: bytes)
                }
                blocks[next] = block.bytes.count
                if let use = uses[next], let wrong = use.wrongHash(in: block.bytes) {
                    wrongHashes.append(
                        (
                            region.fileOffset + Int(next),
                            "the value at \(wrong.reference.offset) has the hash \(wrong.found.hexadecimal), its reference says "
                                + "\(wrong.reference.hash.hexadecimal); the block holds \(use.words)"
                        ))
                }
                next += UInt64(block.byteCount)
                blockCount += 1
            } catch {
                if case .damaged(let damage) = error {
                    let held = uses[next].map { "; it holds \($0.words)" } ?? ""
                    add(snapshot.path, damage.byteOffset, damage.finding + held)
                }
                following = following.drop { $0 <= next }
                budget -= snapshot.withBytes { region.claimedByteCount(at: next, in: $0) }
                guard let start = following.first, budget > 0 else { break }
                next = start
            }
        }
        if report.damage.count == before {
            for start in starts {
                let use = uses[start]!
                let place = region.fileOffset + Int(start)
                guard let byteCount = blocks[start] else {
                    add(snapshot.path, place, "no block begins here; it would hold \(use.words)")
                    continue
                }
                if byteCount > ColdBlock.sharedByteCountLimit, !use.isOneValue(of: byteCount) {
                    add(
                        snapshot.path, place,
                        "the block has \(byteCount) bytes, so all of it has to be one value; it holds \(use.words)")
                } else if use.end > byteCount {
                    add(
                        snapshot.path, place,
                        "the block has \(byteCount) bytes, what lies in it ends at \(use.end); it holds \(use.words)")
                }
            }
        }
        for wrong in wrongHashes { add(snapshot.path, wrong.place, wrong.finding) }
        // Every byte of the file is accounted for: zeros fill what is left before the last superblock.
        let pagesEnd = Int(snapshot.superblock.pageCount) * NodeLayout.pageByteCount
        if region.fileOffset != pagesEnd {
            add(snapshot.path, pagesEnd, "the cold region does not begin behind the last page")
        }
        let end = region.fileOffset + Int(snapshot.superblock.coldByteCount)
        let padding = end..<max(end, snapshot.byteCount - snapshot.superblock.headPageCount * NodeLayout.pageByteCount)
        if let stray = snapshot.withBytes({ $0.firstNonZero(in: padding) }) {
            add(snapshot.path, stray, "a byte between the cold region and the last catalogue is not zero")
        }
        report.checks.append(.init(name: .cold, itemCount: blockCount, findingCount: report.damage.count - before))
    }
}
