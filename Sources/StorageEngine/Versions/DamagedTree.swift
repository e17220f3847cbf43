/// A tree that cannot be read whole: commits behind the snapshot change a page of it that is damaged.
///
/// Every read and change of it throws the damage; `Transaction.removeAll` makes it empty and whole. Until then no compaction
/// and no load replaces what a repair needs.
public struct DamagedTree: Sendable, Equatable {
    public let declaration: TreeDeclaration
    public let damage: Damage
}
