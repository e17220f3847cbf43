/// How many differences two libraries have, and how that was found.
public struct LibraryComparison: Sendable, Hashable {
    /// Those that either library has records of.
    public internal(set) var kinds: [Kind] = []

    /// Of kinds, fields, orders and links.
    public internal(set) var declarationCount = 0

    /// Pages of both snapshots that were read for it and had not been read before.
    public internal(set) var pagesRead = 0

    /// A kind of records. Counts of differences are 0 when the records are unrelated.
    public struct Kind: Sendable, Hashable {
        public let name: String
        public let firstCount: Int
        public let secondCount: Int
        public internal(set) var onlyInFirstCount = 0
        public internal(set) var onlyInSecondCount = 0
        public internal(set) var changedCount = 0

        /// See `LibraryDifference.unrelated`.
        public internal(set) var isUnrelated = false

        /// Otherwise record by record, since one of the libraries was made before there were hash sums.
        public let isByHashSums: Bool

        public var isSame: Bool { !isUnrelated && onlyInFirstCount + onlyInSecondCount + changedCount == 0 }
    }

    public var isSame: Bool { declarationCount == 0 && kinds.allSatisfy(\.isSame) }
}

extension LibraryComparison.Kind {
    mutating func note(_ change: RecordDifference.Change) {
        switch change {
        case .onlyInFirst: onlyInFirstCount += 1
        case .onlyInSecond: onlyInSecondCount += 1
        case .changed: changedCount += 1
        }
    }
}
