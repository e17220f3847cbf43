#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif
import StorageEngine

/// The commits that the log of a library still holds, in terms of records: which were inserted, updated and deleted. Lists, orders and
/// indexes follow from records and are not shown.
///
/// Reading takes no lock and changes nothing, so it works while an app has the library open, and on a library whose log is damaged: what
/// precedes the damage is there, and `end` says the rest. A compaction moves commits into the snapshot and out of the log.
///
/// ```swift
/// var log = try RecordLibrary.log(at: "Ledger.bookdb")
/// for commit in try log.commits() { print(commit.number, commit.date, commit.changes.count) }
/// ```
public struct LibraryLog {
    /// What is known of a commit without reading it.
    public struct Head: Sendable, Equatable {
        public let number: UInt64
        public let date: Date
        /// In the log.
        public let byteCount: Int
    }

    /// How a log ends.
    public enum End: Sendable, Equatable {
        case clean
        /// Behind the newest commit are bytes of a write that is not finished, or that a crash interrupted. No commit was acknowledged that
        /// needs them.
        case torn(file: String, byteOffset: Int, byteCount: Int)
        /// What follows cannot be read.
        case damaged(file: String, byteOffset: Int, finding: String)
    }

    /// The newest commit of the snapshot: older commits are part of it, and not in the log.
    public var snapshotCommit: UInt64 { storage.snapshotCommit }

    /// When the snapshot was made; `nil` when none can be read.
    public var snapshotDate: Date? { storage.snapshot == nil ? nil : Self.date(storage.snapshotTime) }

    /// By number.
    public private(set) var heads: [Head] = []

    public private(set) var end: End

    private var storage: StoreLog
    private let contents: LibraryContents
    /// As of the newest commit that `follow` has given out; `nil` before the first call.
    private var followed: RecordHistory?

    init(at path: String, _ contents: LibraryContents, fileSystem: any FileSystem) throws(LibraryError) {
        self.contents = contents
        let storage = try translatingErrors {
            try StoreLog(at: path, attachment: RecordTypes(beside: contents), fileSystem: fileSystem)
        }
        self.storage = storage
        end = End(storage.end)
        heads = storage.heads.map(Head.init)
    }

    fileprivate static func date(_ milliseconds: UInt64) -> Date {
        Milliseconds(clamping: milliseconds).date
    }

    // MARK: Commits

    /// Some commits with what they changed, by number. Reads the log up to the last of them.
    ///
    /// - Parameters:
    ///   - range: places among `heads`, of which those count that are there; all when it is `nil`.
    ///   - withTexts: whether each change says what the record is.
    /// - Returns: fewer where the bytes of a commit are no operations; `end` says so then. Those that `follow` has given, and a compaction has removed since, are
    ///   left out.
    public mutating func commits(
        _ range: Range<Int>? = nil, withTexts: Bool = true
    ) throws(LibraryError) -> [LoggedCommit] {
        let range = (range ?? 0..<heads.count).clamped(to: 0..<heads.count)
        var history = RecordHistory(storage.snapshot, contents)
        return try commits(range, &history, withTexts)
    }

    private mutating func commits(
        _ range: Range<Int>, _ history: inout RecordHistory, _ withTexts: Bool
    ) throws(LibraryError) -> [LoggedCommit] {
        var commits: [LoggedCommit] = []
        let isBehind = { (gap: StoreLog.Gap) in gap.version != nil && gap.end <= range.lowerBound }
        if let gap = storage.gaps.last(where: isBehind), gap.end > history.commitCount { history.passOver(gap) }
        for index in history.commitCount..<max(range.upperBound, history.commitCount) {
            if let gap = storage.gaps.first(where: { $0.end == index }) { history.passOver(gap) }
            do throws(StorageError) {
                let operations = try storage.operations(at: index)
                guard range.contains(index) else {
                    history.take(operations)
                    continue
                }
                var source = storage
                let changes = history.changes(by: operations, withTexts: withTexts) { (index) in
                    (try? source.operations(at: index)) ?? []
                }
                commits.append(LoggedCommit(heads[index], changes, operations))
            } catch {
                if case .notFound = error {
                    history.passOver(StoreLog.Gap(end: index + 1))
                    continue
                }
                guard case .damaged(let damage) = error else { throw LibraryError(error) }
                end = End(.damaged(damage))
                heads.removeSubrange(index...)
                break
            }
        }
        return commits
    }

    // MARK: Following

    /// What came to the log.
    public enum News: Sendable {
        case commit(LoggedCommit)
        /// Commits that are part of a snapshot and of no log: a load, or what was compacted before it was read here.
        case passedOver(ClosedRange<UInt64>)
        /// A restore has put another library in the place of the one whose log this was. `heads` are those of its log from
        /// here on, and what is given out next follows them.
        case replaced
    }

    /// The commits that a writer has added since the log was read, or since the last call, through compactions and
    /// restores. None while nothing is new.
    ///
    /// - Throws: `LibraryError.damaged` when what follows cannot be read, once all before it was given.
    public mutating func follow(withTexts: Bool = true) throws(LibraryError) -> [News] {
        if case .damaged(_, _, let finding) = end { throw .damaged(finding) }
        let news = try translatingErrors { try storage.follow() }
        guard !news.isEmpty else { return [] }
        if news.contains(.replaced) {
            end = End(storage.end)
            heads = storage.heads.map(Head.init)
            followed = nil
            return [.replaced]
        }
        heads += storage.heads[heads.count...].map(Head.init)
        var history = followed.take() ?? RecordHistory(storage.snapshot, contents)
        defer {
            if let (version, end) = storage.takeSnapshot(), end <= history.commitCount {
                history.rest(on: version, holdingBefore: end)
            }
            storage.letFilesGo(before: history.commitCount)
            followed = history
        }
        var given: [News] = []
        for item in news {
            switch item {
            case .replaced: preconditionFailure("it comes alone")
            case .passedOver(let numbers): given.append(.passedOver(numbers))
            case .commit(let index):
                given += try commits(index..<index + 1, &history, withTexts).map { .commit($0) }
            }
        }
        // What could be read goes first. The next call says why there is no more.
        if given.isEmpty, case .damaged(_, _, let finding) = end { throw .damaged(finding) }
        return given
    }
}

extension LibraryLog.Head {
    fileprivate init(_ head: StoreLog.Head) {
        self.init(number: head.number, date: LibraryLog.date(head.time), byteCount: head.byteCount)
    }
}

extension LibraryLog.End {
    fileprivate init(_ end: StoreLog.End) {
        switch end {
        case .clean: self = .clean
        case .torn(let file, let byteOffset, let byteCount):
            self = .torn(file: file, byteOffset: byteOffset, byteCount: byteCount)
        case .damaged(let damage):
            self = .damaged(file: damage.file, byteOffset: damage.byteOffset, finding: damage.finding)
        }
    }
}

extension RecordLibrary {
    /// The commits that the log of a library still holds. Takes no lock and changes nothing; see `LibraryLog`.
    ///
    /// - Throws: `LibraryError.notFound`, `.notALibrary`, `.tooNew` and what reading the files throws. Damage is part of the answer.
    public static func log(at path: String) throws(LibraryError) -> LibraryLog {
        try log(at: path, fileSystem: PosixFileSystem())
    }

    package static func log(at path: String, fileSystem: any FileSystem) throws(LibraryError) -> LibraryLog {
        try LibraryLog(at: path, contents, fileSystem: fileSystem)
    }
}
