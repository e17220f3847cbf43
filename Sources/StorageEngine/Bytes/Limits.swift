/// What the format holds. A number beyond these is refused with a sentence, never cut.
public enum Limits {
    public static let keyByteCount = 1...512
    public static let valueByteCount = 16 << 20
    /// Operations of one transaction, encoded.
    public static let transactionByteCount = 512 << 20
    /// Trees of one store; their numbers are 1...63.
    public static let treeCount = 40
    public static let facetCount = 16
    public static let treeNameByteCount = 32
    /// Commits, generations, segments and counts stay below this, so that arithmetic on numbers from a file cannot trap.
    static let numberLimit: UInt64 = 1 << 62
    /// The longest value kept beside its key in a page.
    static let hotValueByteCount = 1024
    static let coldValueByteCount = 64
}
