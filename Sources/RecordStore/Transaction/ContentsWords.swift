import StorageEngine

/// How the contents of a library tell people what lies where in their trees.
package protocol ContentsWords: Sendable {
    /// As in "… is missing in the index of …"; `nil` for trees of others.
    func words(of tree: TreeNumber) -> String?

    /// What a bound between keys says; `nil` when that is nothing for people.
    func word(for bound: [UInt8], in tree: TreeNumber) -> String?

    /// The first and the last name of a stretch of a tree; `nil` where its bounds have to do.
    func ends(of stretch: KeyStretch, in snapshot: Snapshot) -> (String?, String?)?

    /// The names of what the stretch holds, the first few, and how many there are.
    func names(in stretch: KeyStretch, of snapshot: Snapshot, limit: Int) -> (first: [String], count: Int)
}
