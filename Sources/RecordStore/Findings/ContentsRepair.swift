import StorageEngine

/// The part of a repair that knows what a library keeps beside declared records.
package protocol ContentsRepair: SendableMetatype {
    /// Trees of records, which are copied as they are.
    static var recordTrees: [TreeNumber] { get }

    /// What an entry of these trees counts in, whatever an enemy's snapshot or log says.
    static func facets(of key: [UInt8], in tree: TreeNumber) -> FacetSet

    /// As reports list them.
    static var kinds: [LostItem.Kind] { get }

    init(_ state: RepairState)

    /// A record of which the key was saved and the value was not. Records of other trees are others' to count.
    ///
    /// - Returns: whether the tree is one of its own.
    mutating func noteLoss(of key: [UInt8], in tree: TreeNumber) -> Bool

    /// A commit of the log has a record of its trees under a key, or takes it away. Called in the order of the log, and only where some commits are lost:
    /// a record may then be there twice, and lists may still tell of one that is gone.
    mutating func noteReplayed(_ key: [UInt8], in tree: TreeNumber, isThere: Bool)

    /// Looks through the records that were saved: does each decode, and is everything there that it names?
    mutating func review() async throws

    /// Makes anew what derived trees still tell enough of.
    mutating func mend() async throws

    /// Makes derived trees from the records.
    func derive() async throws

    /// Counts what was saved and lost of each kind.
    func settle() throws
}
