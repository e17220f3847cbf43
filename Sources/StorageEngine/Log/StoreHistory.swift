/// The last openings, closings, rescues and cuts of a store, in a file of one page.
///
/// A record for people, and of what the log held when it was closed (`closedCommit`). It is not flushed, and what cannot be
/// written is forgotten. Events wait in memory until a commit or a closing writes anyway, so that an opening writes nothing.
///
/// Used on the log's queue only.
final class StoreHistory {
    private let path: String
    private let fileSystem: any FileSystem
    /// Whose events are added.
    private var store: StoreIdentifier
    private var waiting: [Waiting] = []
    /// `nil` until the file was read.
    private var nextNumber: UInt64?

    private struct Waiting {
        let kind: StoreEvent.Kind
        let commit: UInt64
        let generation: UInt64
        let byteCount: Int
        let time: UInt64
        let store: StoreIdentifier
    }

    init(of store: StoreIdentifier, _ files: StoreFiles, _ fileSystem: any FileSystem) {
        self.store = store
        path = files.history
        self.fileSystem = fileSystem
    }

    func add(_ kind: StoreEvent.Kind, commit: UInt64, generation: UInt64, byteCount: Int = 0) {
        // A store that is rescued over and over without a commit keeps the newest.
        if waiting.count == StoreEvent.slotCount { waiting.removeFirst() }
        waiting.append(
            Waiting(
                kind: kind, commit: commit, generation: generation, byteCount: byteCount, time: fileSystem.now(),
                store: store))
    }

    /// The log goes on as that of a store, perhaps of a restored one in the place of the one before: what waits was that one's.
    func moveOver(to store: StoreIdentifier) { self.store = store }

    /// What was to be written by another opening of this process is written by this one.
    func takeOver(_ other: StoreHistory) {
        waiting = (waiting + other.waiting).suffix(StoreEvent.slotCount)
        other.waiting = []
    }

    /// Writes what waits. Costs nothing when nothing does.
    func write() {
        guard !waiting.isEmpty else { return }
        defer { waiting = [] }
        do throws(StorageError) {
            let isThere = try fileSystem.kind(of: path) != .absent
            let file = try fileSystem.openFile(path, isThere ? .writing : .creating)
            defer { file.close() }
            let known = isThere ? try Self.events(in: file) : []
            // Others who share the store may have written since.
            var number = max(nextNumber ?? 0, known.last.map { $0.number &+ 1 } ?? 0)
            for event in waiting {
                let slot = Int(number % UInt64(StoreEvent.slotCount))
                let bytes = StoreEvent(
                    kind: event.kind, number: number, time: event.time, commitNumber: event.commit,
                    generation: event.generation, byteCount: event.byteCount,
                    processIdentifier: fileSystem.processIdentifier, store: event.store.beginning
                ).encoded()
                try file.write(bytes, at: slot * StoreEvent.slotByteCount)
                number &+= 1
            }
            nextNumber = number
        } catch {
            // The store does not need it.
        }
    }

    /// The events in the file, oldest first. Slots that are torn are passed over.
    static func events(in file: any File) throws(StorageError) -> [StoreEvent] {
        let byteCount = StoreEvent.slotCount * StoreEvent.slotByteCount
        let bytes = try file.read(byteCount: min(try file.byteCount(), byteCount), at: 0)
        return bytes.withBytes { bytes in
            stride(from: 0, through: bytes.byteCount - StoreEvent.slotByteCount, by: StoreEvent.slotByteCount)
                .compactMap { StoreEvent(decoding: bytes.extracting($0..<$0 + StoreEvent.slotByteCount)) }
        }.sorted { $0.number < $1.number }
    }
}
