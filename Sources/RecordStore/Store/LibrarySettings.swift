import Filing
import StorageEngine

/// How a library is opened.
package struct LibrarySettings: Sendable {
    package var access: RecordLibrary.Access

    /// For a library that begins here; an existing one keeps its own.
    package var filing = FilingTailoring.standard

    package var sharing = Sharing.owner

    /// How long a write waits for other processes, and an opening does.
    package var lockLimit = Duration.seconds(5)

    /// Asked before a lock of a shared library is taken; `nil` where the system suspends nobody.
    package var lockActivities: (any LockActivities)? = ExpiringActivities.ofSystem

    /// After so many openings in a row that wrote records of a kind and did not declare an order of it, the order is dropped.
    package var unusedOrderLimit = 30

    /// How much is kept to undo commits.
    package var undo = UndoKeeping.off

    package var log: (any DiagnosticLog)?

    package var trace: (any DiagnosticTrace)?

    package var fileSystem: any FileSystem

    /// Whether the library's files are in memory, and go with it. Its backups lie on the system's disk.
    private(set) var isInMemory = false

    /// By which what the disk did not take is tried again, and what others have written or filed and could not be followed.
    var clock = AnyClock(ContinuousClock())

    /// For a library that begins here; an existing one keeps its own.
    package var device = LibraryMeta.randomDevice()

    /// Of fewer rows no search file is made.
    package var leastSearchFileRowCount = 500

    /// Whether a library whose lists are of an older version may be opened to be read: where they are not going to be.
    package var takesOutdated = false

    package init(
        _ access: RecordLibrary.Access = .exclusive, fileSystem: any FileSystem = PosixFileSystem(),
        log: (any DiagnosticLog)? = nil, trace: (any DiagnosticTrace)? = nil
    ) {
        (self.access, self.fileSystem, self.log, self.trace) = (access, fileSystem, log, trace)
    }

    /// The same of a library in memory: nobody else can have it.
    func inMemory() -> LibrarySettings {
        var settings = self
        (settings.fileSystem, settings.isInMemory, settings.access) = (MemoryFileSystem(), true, .exclusive)
        return settings
    }

    /// What the engine is told of it.
    func options(of contents: LibraryContents, at path: String) -> Options {
        precondition(unusedOrderLimit > 0, "an order is kept for one opening at least")
        precondition((1..<IDLayout.placeholderDevice).contains(device), "a device number is not 0 and fits 24 bits")
        var options = Options()
        options.access =
            switch access {
            case .exclusive: .exclusive
            case .shared: .shared
            case .readOnly: .readOnly
            }
        options.isInMemory = isInMemory
        options.sharing = sharing
        options.lockLimit = lockLimit
        options.lockActivities = lockActivities
        options.attachment = RecordTypes(beside: contents, unusedOrderLimit: UInt32(clamping: unusedOrderLimit))
        options.companion = contents.companion?(leastSearchFileRowCount)
        options.admission = { [takesOutdated] version, access throws(StorageError) in
            let isToBeMended = access != .readOnly && !version.isCatchingUp
            return try contents.admission(
                of: version, at: path, isForWriting: access != .readOnly,
                takesOutdated: takesOutdated || isToBeMended)
        }
        options.onPhase = onPhase(at: path)
        options.makeReplayWitness = { ReplayedChanges(in: contents) }
        return options
    }

    private func onPhase(at path: String) -> (@Sendable (StorePhase) -> @Sendable () -> Void)? {
        guard let trace else { return nil }
        return { phase in trace.begin(DiagnosticInterval(DiagnosticInterval.Phase(phase), of: path)) }
    }

    /// Where steps and jobs of a launch are traced.
    func onInterval(at path: String) -> (@Sendable (DiagnosticInterval.Phase, _ name: String) -> @Sendable () -> Void)?
    {
        guard let trace else { return nil }
        return { phase, name in trace.begin(DiagnosticInterval(phase, name: name, of: path)) }
    }
}

extension LibraryContents {
    /// Whether this version of BookDB can show a library, as one of its versions has it.
    fileprivate func admission(
        of version: Version, at path: String, isForWriting: Bool, takesOutdated: Bool
    ) throws(StorageError) -> Admission {
        // Before anything is made of it, so that damage is told with its place.
        _ = try version.bytes(forKey: LibraryMeta.Name.format, in: LibraryTree.meta)
        do throws(LibraryError) {
            // All that it holds may be in the log.
            guard let meta = try LibraryMeta(version) else { return version.isCatchingUp ? .hide : .show }
            do throws(StorageError) { try meta.require(forWriting: isForWriting, path) } catch { return .refuse(error) }
            guard let rules, !meta.isDerived(by: rules), !takesOutdated, try !isReadable(version, meta) else {
                return .show
            }
            return version.isCatchingUp ? .hide : .refuse(.outdated(path: path))
        } catch {
            return .refuse(.damaged(Damage(file: path, byteOffset: 0, finding: error.sentence)))
        }
    }
}

extension DiagnosticInterval.Phase {
    fileprivate init(_ phase: StorePhase) {
        self =
            switch phase {
            case .map: .map
            case .check: .check
            case .replay: .replay
            case .seal: .seal
            case .write: .write
            case .flush: .flush
            case .compaction: .compaction
            case .load: .load
            case .backup: .backup
            }
    }
}
