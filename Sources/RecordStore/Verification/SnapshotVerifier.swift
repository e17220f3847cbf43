import StorageEngine

/// Something that checks one snapshot of a library.
///
/// Goes past damage that is known from a check of the files: what it keeps from being checked is counted, and is no
/// finding of its own.
package protocol SnapshotVerifier {
    var version: Version { get }
    var contents: LibraryContents { get }
    var known: KnownDamage { get set }
}

extension SnapshotVerifier {
    /// Runs a piece of a check. Damage that is known keeps it from being checked; any other error is a finding.
    ///
    /// - Parameter name: what the damage keeps from being read, when it is a thing of its own.
    package mutating func attempt(
        _ check: WritableKeyPath<Self, CheckBuilder>, _ name: @autoclosure () -> String? = nil,
        _ body: (inout Self) throws(LibraryError) -> Void
    ) {
        do {
            try body(&self)
        } catch {
            if known.note(error, name()) {
                self[keyPath: check].skip()
            } else {
                self[keyPath: check].report(error.sentence)
            }
        }
    }

    /// Calls `body` with each key of a tree, ascending; one record that cannot be read does not keep the others from being
    /// looked at, nor does a page of them. Ends early in a task that was cancelled: what was found then is nobody's any more.
    package mutating func forEachKey(
        of tree: TreeNumber, _ check: WritableKeyPath<Self, CheckBuilder>, byteCount: Int? = nil,
        _ body: (inout Self, [UInt8]) throws(LibraryError) -> Void
    ) {
        let words = contents.words(of: tree)
        var position = 0
        attempt(check) { (verifier) throws(LibraryError) in
            let end = try verifier.version.count(of: tree)
            while position < end, !Task.isCancelled {
                let keys = verifier.keys(of: tree, positions: position..<end, &position, check)
                for key in keys where key.count == byteCount ?? key.count {
                    verifier.attempt(check, "a record in \(words)") {
                        (verifier) throws(LibraryError) in try body(&verifier, key)
                    }
                }
            }
        }
    }

    /// Some keys from a position on; `position` moves behind them, and behind a page that cannot be read.
    private mutating func keys(
        of tree: TreeNumber, positions: Range<Int>, _ position: inout Int,
        _ check: WritableKeyPath<Self, CheckBuilder>
    ) -> [[UInt8]] {
        var keys: [[UInt8]] = []
        do {
            try version.forEachEntry(in: tree, positions: positions) { (entry) throws(StorageError) in
                keys.append(try entry.withKey { $0.copyBytes(0..<$0.byteCount) })
                return keys.count < 512
            }
            position = keys.isEmpty ? positions.upperBound : positions.lowerBound + keys.count
        } catch {
            let error = LibraryError(error)
            position = positions.lowerBound + keys.count
            // What was read is looked at before the page that could not be is gone past.
            guard keys.isEmpty else { return keys }
            let leaf = version.leafPositions(around: position, in: tree)
            if known.note(error, nil), let lost = known.lostCount(error) {
                self[keyPath: check].skip()
                // One page may keep many leaves from being read, with others between them.
                position = min(position + lost, leaf?.upperBound ?? .max)
            } else {
                self[keyPath: check].report(error.sentence)
                let end = leaf?.upperBound ?? positions.upperBound
                self[keyPath: check].skip(end - position)
                known.noteUnreadRecords()
                position = end
            }
        }
        return keys
    }
}
