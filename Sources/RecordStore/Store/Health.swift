import StorageEngine

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension RecordLibrary {
    /// How a library fares: whether it is there, whether it takes changes, and what it has met.
    public enum Health: Sendable {
        /// It is being opened: so much of its log was read, 0...1. Reads have what its snapshot holds, or throw
        /// `LibraryError.opening` while there is nothing yet; writes wait.
        case opening(fraction: Double)

        case ready

        /// It is ready, after something went wrong.
        case recovered(Recovery)

        /// It is ready, and lists, orders or indexes are being made: new ones, or again those of another version. So much of the orders is done, 0...1, where
        /// that is known.
        case upgrading(fraction: Double?)

        /// It is open, and its disk did not take the last change: a full disk, or a directory that was moved away. Some may wait in memory and be lost with
        /// the process; what was to be saved at once has thrown the error. Tried again by itself, ever more rarely, with the next
        /// change, and by `retry()`.
        case unsaved(LibraryError, waitingCommitCount: Int)

        /// It shows what it had: what another process has written since cannot be shown, for want of files that may be open, say, or because this version
        /// does not know how. Tried again by itself, ever more rarely, when somebody writes next, and by `retry()`.
        case behind(LibraryError)

        /// It takes no changes; every write throws the error. A closed library is one of these.
        case readOnly(LibraryError)

        /// Parts of it cannot be read, or its newest commits. Known since the opening, or since somebody read there: what was not read may be damaged, too.
        /// Where changes are not saved or not taken for another reason, that is said first.
        case damaged(DamageReport)

        /// It could not be opened. Every write throws the error, and every read, unless its snapshot was shown before that was known
        /// (`Snapshot.isCatchingUp`). See `retry()`.
        case unavailable(LibraryError)
    }

    /// What a library went through and came out of.
    public struct Recovery: Sendable, Hashable {
        /// A sentence.
        public let what: String

        public let date: Date
    }

    /// What of a library cannot be read.
    public struct DamageReport: Sendable, Equatable {
        /// The parts of the library that cannot be read or changed, in words. Those made from others are made again by
        /// `bookdb reindex`; of records `bookdb repair` saves what is whole.
        public let parts: [String]

        /// Whether the log ends at damage: the commits after it are missing.
        public let lacksCommits: Bool

        /// The first place that was found.
        public let damage: Damage
    }

    /// How the library fares. Observable: a view that shows it, or `Observations { store.health }`, follows it.
    public var health: Health {
        healthBoard.access()
        if database.isOpening { return .opening(fraction: database.openingFraction) }
        let (damage, status) = (damageReport, database.status)
        // Who is told of a damaged page only believes that the newest changes are safe.
        if let refusal = database.refusal ?? status.refusal {
            if let damage, case .damaged = refusal { return .damaged(damage) }
            let error = LibraryError(refusal)
            let version = database.version
            return version.isLoaded && !version.isCatchingUp ? .readOnly(error) : .unavailable(error)
        }
        if database.isClosed { return .readOnly(.closed(path: database.path)) }
        if let stall = status.stall {
            return .unsaved(LibraryError(stall), waitingCommitCount: status.unwrittenCommitCount)
        }
        if let damage { return .damaged(damage) }
        if let failure = status.followingFailure { return .behind(LibraryError(failure)) }
        let upgrade = healthBoard.upgrade
        if upgrade.isUnderWay { return .upgrading(fraction: upgrade.fraction) }
        return recovery.map { .recovered($0) } ?? .ready
    }

    private var damageReport: DamageReport? {
        let version = database.version
        let trees = version.damagedTrees
        var refused: Damage?
        // What was shown before the opening failed can still be read.
        if version.isLoaded, case .damaged(let damage)? = database.refusal { refused = damage }
        let cut = opening.damage ?? refused
        let met = database.metDamages
        guard let damage = cut ?? trees.first?.damage ?? met.first?.damage ?? healthBoard.findings.first else {
            return nil
        }
        var parts: [String] = []
        for tree in trees.map(\.declaration.number) + met.compactMap(\.tree) {
            let words = Self.contents.words(of: tree)
            if !parts.contains(words) { parts.append(words) }
        }
        return DamageReport(parts: parts, lacksCommits: cut != nil, damage: damage)
    }

    private var recovery: Recovery? {
        if let (reason, time) = healthBoard.rescue {
            return Recovery(
                what:
                    "The log failed, so everything was written to new files; nothing is lost. \(LibraryError(reason).sentence)",
                date: Self.date(time))
        }
        if let (report, time) = healthBoard.recovery, let what = report.recovery {
            return Recovery(what: "Another process had it open before. \(what)", date: Self.date(time))
        }
        guard let what = opening.recovery else { return nil }
        return Recovery(what: what, date: Self.date(opening.time))
    }

    /// - Parameter time: milliseconds since 1970.
    private static func date(_ time: UInt64) -> Date { Milliseconds(clamping: time).date }
}

extension OpeningReport {
    /// What the opening had to put right, as a sentence.
    fileprivate var recovery: String? {
        if fellBack { return "The newest snapshot cannot be read; the one before it and the log served." }
        if usedSpareSuperblock { return "The first page of the snapshot cannot be read; its copy served." }
        let byteCount = tornByteCount + setAsideByteCount
        guard byteCount > 0 else { return nil }
        return "It was not closed before: \(byteCount) bytes of an unfinished write were cut off its log."
    }
}
