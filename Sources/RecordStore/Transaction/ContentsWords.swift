import StorageEngine

/// How the contents of a library tell people what lies where in their trees.
package protocol ContentsWords: Sendable {
    /// As in "… is missing in the index of …"; `nil` for trees of others.
    func words(of tree: TreeNumber) -> String?

    /// What a bound between keys says; `nil` when that is nothing for people.
    func word(for bound: [UInt8], in tree: TreeNumber) -> String?

    /// The first and the last name of each of some stretches of trees; `nil` where the bounds have to do. All at once: others may have to be read from
    /// end to end for it.
    func ends(of stretches: [KeyStretch], in snapshot: Snapshot) -> [(String?, String?)?]

    /// The names of what each of the stretches holds, the first few, and how many there are.
    func names(in stretches: [KeyStretch], of snapshot: Snapshot, limit: Int) -> [(first: [String], count: Int)]
}
