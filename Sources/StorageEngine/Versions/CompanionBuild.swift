import Dispatch
import Synchronization

/// A companion in the making, here or on a thread of its own.
///
/// It leaves a complete file under its temporary name, or none. It is not flushed: what a power cut leaves of it fails its
/// checksums, and the store is whole without.
final class CompanionBuild: @unchecked Sendable {
    // Safe to share because `outcome` is written by one thread, and read by another only when that one is done.
    private let companion: Companion
    private let snapshot: SnapshotFile
    private let path: String
    private let fileSystem: any FileSystem
    private let isCancelled: @Sendable () -> Bool
    private let isAbandoned = Atomic(false)
    private let thread = DispatchGroup()
    private var outcome: Outcome?

    private enum Outcome {
        case made(any File, CompanionWriter)
        case notNeeded
        /// The store is sound without it, and the next compaction tries again.
        case failed
    }

    /// - Parameter snapshot: has the companion's tree; the others may be missing.
    init(
        _ companion: Companion, of snapshot: SnapshotFile, _ files: StoreFiles, _ fileSystem: any FileSystem,
        isCancelled: @escaping @Sendable () -> Bool
    ) {
        self.companion = companion
        self.snapshot = snapshot
        path = files.temporaryCompanion(snapshot.superblock.generation)
        self.fileSystem = fileSystem
        self.isCancelled = isCancelled
    }

    func start() { DispatchQueue.global().async(group: thread) { self.run() } }

    func run() {
        do throws(StorageError) { outcome = try make() } catch { outcome = .failed }
    }

    private func make() throws(StorageError) -> Outcome {
        let file = try fileSystem.openFile(path, .creating)
        let scratch = ScratchFile(path: StoreFiles.scratch(of: path), fileSystem)
        defer { scratch.discard() }
        do throws(StorageError) {
            var writer = CompanionWriter(file, scratch) { [unowned self] in
                isCancelled() || isAbandoned.load(ordering: .relaxed)
            }
            let version = Version(
                commitNumber: snapshot.superblock.commitNumber, generation: Generation(file: snapshot),
                trees: TreeTable(snapshot.superblock))
            guard try companion.make(version, &writer) else {
                remove(file)
                return .notNeeded
            }
            return .made(file, writer)
        } catch {
            remove(file)
            throw error
        }
    }

    /// Binds what was made to the finished snapshot. `false` when it could not be made, though it is needed.
    func finish(_ identity: SnapshotIdentity) -> Bool {
        thread.wait()
        switch outcome {
        case .notNeeded: return true
        case .failed, nil: return false
        case .made(let file, var writer):
            do throws(StorageError) {
                try writer.finish(identity)
                file.close()
                return true
            } catch {
                remove(file)
                return false
            }
        }
    }

    /// Nobody needs it any more: the snapshot has failed.
    func abandon() {
        isAbandoned.store(true, ordering: .relaxed)
        thread.wait()
        if case .made(let file, _) = outcome { remove(file) }
    }

    private func remove(_ file: any File) {
        file.close()
        try? fileSystem.remove(path)
    }
}
