#if _pointerBitWidth(_32)
    #error("BookDB counts bytes and places in 64 bits, and is not for systems whose words have 32.")
#endif

/// What the format holds. A number beyond these is refused with a sentence, never cut.
public enum Limits {
    public static let keyByteCount = 1...512
    public static let valueByteCount = 16 << 20
    /// Operations of one transaction, encoded.
    public static let transactionByteCount = 512 << 20
    /// Trees of one store.
    public static let treeCount = 4096
    public static let facetCount = 16
    /// What the branches of a tree keep besides counts.
    public static let columnCount = 8
    /// Amounts of an entry.
    public static let amountCount = 4
    public static let treeNameByteCount = 64
    /// Commits, generations, segments and counts stay below this, so that arithmetic on numbers from a file cannot trap.
    static let numberLimit: UInt64 = 1 << 62
    /// The longest value kept beside its key in a page.
    static let hotValueByteCount = 1024
    static let coldValueByteCount = 64
}
