import StorageEngine

extension KeyStretch {
    /// What people know it by.
    ///
    /// - Parameters:
    ///   - snapshot: `nil` when the library does not open.
    ///   - ends: the first and the last name in it, where another tree knows them.
    func words(in snapshot: Snapshot?, of contents: LibraryContents, ends: (String?, String?)? = nil) -> String {
        let kind = tree >= LibraryTree.firstKind ? snapshot?.version.declaration(of: tree)?.name : nil
        let name = kind.map { "the records of \($0)" } ?? contents.words(of: tree)
        guard low != nil || high != nil else { return "\(name), all of it" }
        switch ends ?? (word(low, contents), word(high, contents)) {
        case (let first?, let last?): return first == last ? "\(name), \(first)" : "\(name), \(first) … \(last)"
        case (nil, let last?): return "\(name), up to \(last)"
        case (let first?, nil): return "\(name), from \(first)"
        case (nil, nil): return name
        }
    }

    private func word(_ bound: [UInt8]?, _ contents: LibraryContents) -> String? {
        guard let bound, !bound.isEmpty else { return nil }
        if contents.names(tree) { return contents.words?.word(for: bound, in: tree) }
        switch LibraryTree.part(of: tree) {
        case LibraryTree.meta, LibraryTree.appOrders, LibraryTree.appLinks, LibraryTree.appFields: return nil
        default: return ID<AppRecord>(rawValue: Self.firstNumber(bound)).description
        }
    }
}
