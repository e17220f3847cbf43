/// What of a store can be proved to be what was written, and what cannot.
public struct SalvageReport: Sendable {
    /// What the proof of the snapshot's pages rests on.
    public enum Basis: String, Sendable {
        /// A head of the snapshot, and below it the checksums parents hold.
        case superblock
        /// Both heads are unreadable: the pages' own seals.
        case seals
        /// There is no snapshot file: the log alone.
        case log
    }

    public struct Tree: Sendable, Equatable {
        /// Named `tree 7` when only its pages are left.
        public let declaration: TreeDeclaration
        /// Entries of the snapshot that can be read; of cold values, the keys.
        public let savedEntryCount: Int
        /// Entries of the snapshot that are known to be lost.
        public let lostEntryCount: Int
        /// Whether those are all. Without a head, branches may be lost that told of more.
        public let isCounted: Bool

        public init(declaration: TreeDeclaration, savedEntryCount: Int, lostEntryCount: Int, isCounted: Bool) {
            self.declaration = declaration
            self.savedEntryCount = savedEntryCount
            self.lostEntryCount = lostEntryCount
            self.isCounted = isCounted
        }
    }

    public internal(set) var basis = Basis.log
    /// A newer snapshot has no readable head; this is the one before it.
    public internal(set) var fellBack = false
    public internal(set) var generation: UInt64?
    /// The newest commit within the snapshot; `nil` when its heads are unreadable.
    public internal(set) var snapshotCommit: UInt64?
    /// The newest commit that was found.
    public internal(set) var lastCommit: UInt64?
    /// Commits of the log behind the snapshot that were found.
    public internal(set) var logCommitCount = 0
    /// Commits that were on the medium once and cannot be read, ascending.
    public internal(set) var missingCommits: [ClosedRange<UInt64>] = []
    /// Why nothing says what was committed last, and so how many commits are lost: the newest segment of the log is missing,
    /// or no byte of it can be proved.
    public internal(set) var lostEnd: Damage?
    /// In the order of the snapshot.
    public internal(set) var trees: [Tree] = []
    /// What sound commits of the log declared, one that was never acknowledged as well; trees of the snapshot may be among them.
    public internal(set) var declaredTrees: [TreeDeclaration] = []
    /// The trees that sound commits of the log changed, also where the commit is lost that declared them.
    public internal(set) var changedTrees: Set<TreeNumber> = []
    /// In the order of the files.
    public internal(set) var places: [SalvagedPlace] = []
    /// What a power cut left at the end of the log: never acknowledged, and no damage.
    public internal(set) var tornByteCount = 0

    /// Whether everything the store ever acknowledged can be read. Cold values are read with the entries only.
    public var isWhole: Bool { places.isEmpty && missingCommits.isEmpty && !fellBack }

    /// Whether damage has left no entry and no commit.
    public var isNothing: Bool {
        !places.isEmpty && logCommitCount == 0 && trees.allSatisfy { $0.savedEntryCount == 0 }
    }
}

/// Bytes that are not what was written, and what lay in them.
public struct SalvagedPlace: Sendable, Equatable {
    public enum Role: Sendable {
        case head, tree
        /// The snapshot is missing, or no page of it can be proved.
        case snapshot
        /// A page of the snapshot of which nothing can be proved.
        case unproved
        case log
    }

    public let role: Role
    public let damage: Damage
    public let byteCount: Int
    /// `nil` outside the trees.
    public let tree: TreeNumber?
    /// Entries that cannot be read because of it; `nil` when unknown.
    public internal(set) var lostEntryCount: Int?
    /// Keys from here on are affected; `nil` for the tree's start.
    public let firstKey: [UInt8]?
    /// Keys before this one are affected; `nil` for the tree's end.
    public let endKey: [UInt8]?

    init(
        _ role: Role, _ damage: Damage, byteCount: Int, tree: TreeNumber? = nil, lostEntryCount: Int? = nil,
        firstKey: [UInt8]? = nil,
        endKey: [UInt8]? = nil
    ) {
        self.role = role
        self.damage = damage
        self.byteCount = byteCount
        self.tree = tree
        self.lostEntryCount = lostEntryCount
        self.firstKey = firstKey
        self.endKey = endKey
    }
}
