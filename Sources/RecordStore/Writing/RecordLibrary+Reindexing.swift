import StorageEngine

/// What making derived trees anew did.
public struct ReindexReport: Sendable {
    /// The trees that were made anew and the entries they now have, in order.
    public internal(set) var trees: [(tree: DerivedTree, entryCount: Int)] = []

    /// `nil` when the file could not be rewritten because of damage; `remainingDamage` says which.
    public internal(set) var compaction: CompactionReport?

    /// Damage in a part that was not made anew. The trees that were are in use all the same.
    public internal(set) var remainingDamage: String?
}

extension RecordLibrary {
    /// What can be made anew from the records.
    public static var derivedTrees: [DerivedTree] { contents.allDerived }

    /// A tree, and those whose entries lead to rows in it: when one of its pages is lost, they have lost it, too.
    public func treesMadeAnew(with tree: DerivedTree) -> [DerivedTree] {
        let version = snapshot.version
        return [tree]
            + Self.contents.allDerived.filter { version.declaration(of: $0.number)?.home?.tree == tree.number }
    }

    /// Reads what derived trees are made from, as `reindex` does before it changes anything.
    ///
    /// - Throws: `LibraryError.damaged` when the records cannot all be read.
    package func checkRecords(for trees: [DerivedTree]) throws(LibraryError) {
        let version = snapshot.version
        try Self.contents.checkSources(version, trees)
        guard trees.contains(.appOrders) else { return }
        let kinds = try version.kindsInOrders
        try translatingErrors {
            for kind in kinds { try version.scan(kind) { _, _ in !Task.isCancelled } }
        }
        guard !Task.isCancelled else { throw .cancelled }
    }

    /// Makes lists, orders and indexes anew from the records: all of them, or one and those that lead to it.
    ///
    /// Each tree is one commit, so a reader never sees half of one; orders of declared records are made piece by piece, and those that code of
    /// the app makes wait for the app. Pages of these trees are not read, so it does not matter how damaged they are; a compaction at the end
    /// leaves them behind. O(n log n).
    ///
    /// - Throws: `LibraryError.invalidArgument` for a tree that is not among `derivedTrees`; `.damaged` when the records themselves cannot all be read: nothing is changed then, and
    ///   `repair(at:to:)` saves what can be saved. `.tooLarge` when a tree does not fit one commit (512 MiB, some
    ///   millions of entries), which `repair(at:to:)` does not need.
    @discardableResult
    public func reindex(
        only tree: DerivedTree? = nil, progress: (@Sendable (Double) -> Void)? = nil
    ) async throws(LibraryError) -> ReindexReport {
        let contents = Self.contents
        if let tree, !contents.allDerived.contains(tree) {
            throw .invalidArgument(
                "This library does not make \(tree.words): one of a class that does can make it anew.")
        }
        var report = ReindexReport()
        try await ready()
        let trees = tree.map(treesMadeAnew(with:)) ?? contents.allDerived
        try checkRecords(for: trees)
        for (index, tree) in trees.enumerated() {
            do throws(LibraryError) {
                try await transact { (library) throws(LibraryError) in try library.rebuild([tree], of: contents) }
            } catch {
                guard case .tooLarge = error else { throw error }
                throw .tooLarge(
                    "Making \(tree.words) anew takes more than one commit can hold; `bookdb repair` does it in parts.")
            }
            if tree == .appOrders { try await finishOrders() }
            report.trees.append((tree, try snapshot.version.entryCount(of: tree)))
            progress?(Double(index + 1) / Double(trees.count + 1))
        }
        do throws(LibraryError) {
            report.compaction = try await compact()
        } catch {
            guard case .damaged(let finding) = error else { throw error }
            report.remainingDamage = finding
        }
        return report
    }
}

extension Version {
    /// How many entries a derived tree has; of the orders of declared records, all of theirs.
    fileprivate func entryCount(of tree: DerivedTree) throws(LibraryError) -> Int {
        guard tree == .appOrders else { return try count(of: tree.number) }
        var count = 0
        for kind in try kindsWithOrders() {
            for entry in try storedOrderEntries(of: Array(kind.utf8)) { count += try self.count(of: entry.head.tree) }
        }
        return count
    }
}
