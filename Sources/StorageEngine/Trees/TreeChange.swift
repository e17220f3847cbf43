/// Changes of one tree, checked against its declaration.
struct TreeChange: ~Copyable {
    private let declaration: TreeDeclaration
    private var editor: TreeEditor

    init(_ declaration: TreeDeclaration, root: TreeRoot, pages: PageSource, heap: NodeHeap) {
        self.declaration = declaration
        editor = TreeEditor(pages: pages, heap: heap, declaration, root: root)
    }

    var root: TreeRoot { editor.root }

    /// When this throws, nothing has been changed, and nothing is left of the value.
    mutating func put(key: RawSpan, value: RawSpan, facets: UInt16) throws(StorageError) {
        try declaration.check(key: key, value: value, facets: facets)
        guard value.byteCount > declaration.inlineByteCount else {
            return try editor.put(key: key, word: UInt16(value.byteCount), cell: value, facets: facets)
        }
        let cell = LargeValue.cell(copying: value, heap: editor.heap)
        try cell.withBytes { (cell) throws(StorageError) in
            do throws(StorageError) {
                try editor.put(key: key, word: NodeLayout.largeValue, cell: cell, facets: facets)
            } catch {
                // Safe because the cell was made above, and no leaf has taken it.
                editor.heap.retire(unsafe LargeValue(cell: cell).memory)
                throw error
            }
        }
    }

    /// All changes of a sorted run, checked before. When this throws, the tree is of no more use.
    mutating func apply(_ run: EntryRun) throws(StorageError) { try editor.apply(run) }

    /// `false` when there is no such key.
    mutating func remove(_ key: RawSpan) throws(StorageError) -> Bool {
        guard Limits.keyByteCount.contains(key.byteCount) else { return false }
        return try editor.remove(key)
    }

    mutating func removeAll() { editor.removeAll() }
}
