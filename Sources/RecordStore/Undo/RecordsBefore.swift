import StorageEngine

/// What the entries of records were before a transaction changed them: of each the value that the transaction found, once.
///
/// Costs a look-up for an entry that is replaced or removed, which its caller has just read; none for a new one.
struct RecordsBefore {
    struct Place: Hashable {
        let tree: TreeNumber
        let key: [UInt8]
    }

    /// The trees that hold records, beside those of the app's own.
    private let trees: Set<TreeNumber>

    private var values: [Place: [UInt8]?] = [:]
    /// In the order in which they were first changed.
    private(set) var places: [Place] = []
    private var byteCount = 0

    /// Whether there was more than one commit keeps. What was kept is gone then.
    private(set) var isOverfull = false

    /// Larger transactions cannot be undone.
    static let maximumByteCount = 64 << 20

    init(of trees: Set<TreeNumber>) { self.trees = trees }

    func holdsRecords(_ tree: TreeNumber) -> Bool { tree >= LibraryTree.firstKind || trees.contains(tree) }

    /// Whether what an entry is has to be looked up before it changes.
    func isToBeKept(_ key: [UInt8], in tree: TreeNumber) -> Bool {
        !isOverfull && holdsRecords(tree) && values[Place(tree: tree, key: key)] == nil
    }

    /// - Parameter value: `nil` for one that is new.
    mutating func keep(_ value: [UInt8]?, _ key: [UInt8], in tree: TreeNumber) {
        let place = Place(tree: tree, key: key)
        guard !isOverfull, values[place] == nil else { return }
        values.updateValue(value, forKey: place)
        places.append(place)
        byteCount += 96 + key.count + (value?.count ?? 0)
        if byteCount > Self.maximumByteCount { giveUp() }
    }

    /// Nobody knows any more what was there.
    mutating func giveUp() {
        isOverfull = true
        (values, places) = ([:], [])
    }

    /// What a place had; `nil` for what was new.
    func value(at place: Place) -> [UInt8]? { values[place] ?? nil }
}
