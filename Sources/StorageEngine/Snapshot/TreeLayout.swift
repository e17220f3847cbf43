/// How the leaves of a tree are laid out: what all stretches of it have in common.
struct TreeLayout: Sendable {
    let declaration: TreeDeclaration
    /// Of a page.
    let entryLimit: Int
    /// Whether pages may be packed, and values of those be written in symbols.
    let packs: Bool
    let sharesEnds: Bool
    let symbols: TreeSymbols?
    /// Of a tree that has a home, where the entries of that lie; `nil` also where no places can be given.
    let home: HomePlaces?
    /// Of a tree that is home to others, and whose entries can be given places: where they will lie is not known yet.
    let ownPlaces: HomePlaces?

    var isHome: Bool { ownPlaces != nil }

    /// Before the key of the home tree.
    func leadByteCount(of key: RawSpan) -> Int? { declaration.home?.lead.byteCount(in: key) }

    /// Whether bytes are what comes before a key of the home, with such a key behind them.
    func isLead(_ bytes: RawSpan) -> Bool { declaration.home?.lead.isAll(of: bytes) ?? false }

    /// The place of what a key ends with, where that was in memory or added; `nil` also for a tree that takes no places.
    func place(ofKey key: RawSpan) -> UInt32? {
        guard let home, let count = leadByteCount(of: key) else { return nil }
        return home.place(ofKey: key.extracting(count...))
    }

    /// Whether a page of the old snapshot can be taken over: its values are written in symbols that the tree still has, or in none, as
    /// they would be again.
    func takes(symbolsOf leaf: Node) -> Bool {
        let page = leaf.isPacked ? leaf.packed.symbolsPage : 0
        guard let symbols else { return page == 0 }
        return symbols.oldPage.map { page == 0 || page == Int($0) } ?? false
    }
}

/// What values of a tree are written in.
struct TreeSymbols: Sendable {
    let encoder: SymbolEncoder
    /// Of the tree when they were chosen.
    let entryCount: UInt64
    /// Where the old snapshot has them, when they are taken over from there.
    var oldPage: UInt32?
}
