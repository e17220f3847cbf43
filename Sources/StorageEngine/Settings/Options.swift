/// How to open a store.
public struct Options: Sendable {
    public var access: Access = .exclusive
    public var compaction: CompactionPolicy = .automatic
    /// How long a write waits for other processes before it throws `.inUse`, and so does an opening.
    package var lockLimit = Duration.seconds(5)
    /// Asked before a lock of a shared store is taken; `nil` where the system suspends nobody.
    package var lockActivities: (any LockActivities)?
    /// Who may read and write a store whose directory is created.
    public var sharing: Sharing = .owner
    /// Whether the store's files are in memory, and go with it. Its backups lie on the system's disk.
    package var isInMemory = false
    /// Sixteen bytes a new store is to carry instead of random ones, so that equal histories give equal files.
    public var storeIdentifier: [UInt8]?
    /// What to keep beside every snapshot that a compaction writes.
    package var companion: Companion?
    /// What the layer above wants to find with every version and transaction of the open store.
    package var attachment: (any AnyObject & Sendable)?
    /// Is told what the store does and meets by itself: on the writer, while it opens, or where somebody reads damage. It must not wait for the store.
    package var onNotice: (@Sendable (StoreNotice) -> Void)?
    /// Called when a piece of work begins, where it begins; what it returns is called where it ends. Neither may wait for the store.
    /// Costs a comparison with `nil` where there is none.
    package var onPhase: (@Sendable (StorePhase) -> @Sendable () -> Void)?
    /// Looks at what an opening has found before readers do: at the snapshot while the log is still to be replayed
    /// (`isCatchingUp`), and at the whole. With how it is being opened, which may be for reading though it was asked for otherwise.
    package var admission: (@Sendable (Version, Access) throws(StorageError) -> Admission)?
    /// Makes one for each replay in the background.
    package var makeReplayWitness: (@Sendable () -> any ReplayWitness)?
    /// Whether openings, closings, rescues and cuts are recorded.
    package var keepsHistory = true
    /// Leaves of more entries and branches of more children are split, whatever their bytes. Tests make deep trees of few keys.
    package var nodeEntryLimit = Int.max
    /// As many entries that were left for later take as long to be put into their trees as a thread takes to wake up for it. Tests wake one up for each.
    package var leastEntryCountBeside = 12
    /// One more begins to change copies, so that a transaction which fails behind many that wait for the log has no more of them made again. Leaves that
    /// several of them change are copied once for as many.
    package var mostCommitsOfRun = 128
    /// Whenever a transaction has so many bytes of operations more, what it left for later is put into the trees while it goes on. They are some thousand
    /// entries of lists, which take a millisecond or two.
    package var byteCountAhead = 64 << 10
    /// Of pages that are written.
    package var layouts = PageLayouts.all
    /// Commits pause, so that a compaction may begin, when the log gets fewer bytes in half a second. 0 for never.
    package var pausingByteCount = 256 << 10
    /// Where the engine's work on the disk runs.
    package var work: any BackgroundWork = DispatchWork()

    public init(
        access: Access = .exclusive, compaction: CompactionPolicy = .automatic, storeIdentifier: [UInt8]? = nil
    ) {
        precondition(storeIdentifier.map { $0.count == 16 } ?? true, "a store identifier has 16 bytes")
        self.access = access
        self.compaction = compaction
        self.storeIdentifier = storeIdentifier
    }
}

extension Options {
    /// Where backups of the store lie; `nil` for its own file system.
    var backupFileSystem: (any FileSystem)? { isInMemory ? PosixFileSystem() : nil }

    /// Whether readers may see a version of the store that is being opened.
    ///
    /// - Throws: why the layer above will not have it.
    func admit(_ version: Version) throws(StorageError) -> Bool {
        switch try admission?(version, access) ?? .show {
        case .show: return true
        case .hide: return false
        case .refuse(let reason): throw reason
        }
    }
}

public enum Access: Sendable {
    /// The one writer. Creates the store when it is absent.
    case exclusive
    /// Writes, beside other processes that opened it so, one group of commits at a time; follows what they write, and holds no lock
    /// between. Creates the store when it is absent.
    case shared
    /// Takes no lock, changes nothing, works beside a writer; sees the commits that were in the log when it opened.
    case readOnly

    var writes: Bool { self != .readOnly }
}

public enum CompactionPolicy: Sendable {
    /// In the background when the log passes an eighth of the snapshot, within 8 to 32 MiB, and commits pause; at 32 MiB in any
    /// case. An opening replays the log, some 10 ms for each MiB of changed titles; a compaction writes the snapshot anew.
    case automatic
    /// Only when asked.
    case manual

    static let leastLogByteCount = 8 << 20
    static let mostLogByteCount = 32 << 20
    /// So long the log is watched for a pause of the commits.
    static let pause = Duration.milliseconds(500)
    /// Payloads that may gather in memory behind a compaction or a rescue: writers wait for its end then.
    static let gatheredByteCount = 256 << 20

    static func isDue(logByteCount: Int, snapshotByteCount: Int) -> Bool {
        logByteCount >= min(max(snapshotByteCount / 8, leastLogByteCount), mostLogByteCount)
    }

    /// Whether one that is due need not wait any longer.
    ///
    /// - Parameter before: what the log had half a second ago; `nil` when nobody has looked yet.
    static func mayBegin(logByteCount: Int, before: Int?, pausingByteCount: Int) -> Bool {
        logByteCount >= mostLogByteCount || before.map { logByteCount - $0 < pausingByteCount } ?? false
    }
}
