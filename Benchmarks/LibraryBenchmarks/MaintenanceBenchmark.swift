import BookDB
import StorageEngine

/// What loads and compactions take, warm and from a file that the system has not cached, what opening and closing take, and what
/// held snapshots cost.
///
///     swift run -c release LibraryBenchmarks FOLDER --maintenance WORKS
struct MaintenanceBenchmark {
    let path: String
    let works: Int
    private static let repetitions = 5

    func run() async throws {
        var samples: [Duration] = []
        for _ in 0..<Self.repetitions { samples.append(try await load()) }
        print("\(works) works: a load \(Self.text(samples))")
        samples = []
        for _ in 0..<Self.repetitions { samples.append(try await compact(isCold: false)) }
        print("\(works) works: a compaction, cached \(Self.text(samples))")
        samples = []
        for _ in 0..<Self.repetitions { samples.append(try await compact(isCold: true)) }
        print("\(works) works: a compaction, not cached \(Self.text(samples))")
        try await fileAnew()
        try await changeMany()
        try await openAndClose()
        try await closeBehindLongLog()
        try await holdSnapshots()
    }

    /// By another tailoring and back: other writers wait so long.
    private func fileAnew() async throws {
        let store = try BookStore(at: path)
        var samples: [Duration] = []
        for filing in [FilingTailoring.swedish, .standard, .swedish, .standard] {
            let start = ContinuousClock.now
            try await store.setFiling(filing)
            samples.append(start.duration(to: .now))
        }
        try await store.close()
        print("\(works) works: filed by another tailoring in \(Self.text(samples))")
    }

    /// Half of the works get a series of another name, while another writer changes one work after the other.
    private func changeMany() async throws {
        let store = try BookStore(at: path)
        let ids = store.snapshot.works.list().map(\.id)
        let other = Task {
            var waits: [Duration] = []
            var isFlagged = false
            while !Task.isCancelled {
                isFlagged.toggle()
                let start = ContinuousClock.now
                try? await store.update(ids[ids.count - 1]) { [isFlagged] work in
                    work.reviewStatus = isFlagged ? .needsAttention : .unreviewed
                }
                waits.append(start.duration(to: .now))
                try? await Task.sleep(for: .milliseconds(5))
            }
            return waits
        }
        let start = ContinuousClock.now
        try await store.updateEach(ids.prefix(ids.count / 2)) { work in
            work.series = [SeriesMembership(name: "Renamed", number: "1")]
        }
        let duration = start.duration(to: .now)
        other.cancel()
        let waits = await other.value.sorted()
        // So that the openings measured next replay a short log.
        try await store.compact()
        try await store.close()
        print(
            "\(works / 2) works changed, 200 in a commit: \(duration); another writer waited \(Self.median(waits)) µs, "
                + "at most \(Self.median(Array(waits.suffix(1)))) µs")
    }

    /// Of a library that was closed, and is not written to.
    private func openAndClose() async throws {
        for access in [BookStore.Access.readOnly, .exclusive] {
            var (openings, closings): ([Duration], [Duration]) = ([], [])
            for _ in 0..<200 {
                let start = ContinuousClock.now
                let store = try BookStore(at: path, access: access)
                openings.append(start.duration(to: .now))
                let end = ContinuousClock.now
                try await store.close()
                closings.append(end.duration(to: .now))
            }
            let name = access == .readOnly ? "to read" : "to write"
            print(
                "\(works) works: opened \(name) in \(Self.median(openings)) µs, closed in \(Self.median(closings)) µs")
        }
    }

    /// Closing seals and flushes, however long the log is.
    private func closeBehindLongLog() async throws {
        let store = try BookStore(at: path)
        let ids = store.snapshot.works.list().map(\.id)
        var logByteCount = 0
        // Not as much as would start a compaction.
        while logByteCount < 7 << 20 {
            try await store.write(.memory) { library in
                for id in ids.prefix(500) {
                    guard var work = try library.work(id) else { continue }
                    work.title += "."
                    try library.update(work)
                }
            }
            logByteCount = try BookStore.inspect(at: path).opening.logByteCount
        }
        let start = ContinuousClock.now
        try await store.close()
        print(
            "\(works) works: closed behind \(logByteCount >> 20) MiB of log in \(Self.median([start.duration(to: .now)])) µs"
        )
    }

    /// Leaves the library of the last one.
    private func load() async throws -> Duration {
        try removeLibrary()
        let store = try BookStore(at: path)
        let start = ContinuousClock.now
        try await store.fill(withSample: works, seed: 7)
        let duration = start.duration(to: .now)
        try await store.close()
        return duration
    }

    private func compact(isCold: Bool) async throws -> Duration {
        if isCold { try evict() }
        let store = try BookStore(at: path)
        let start = ContinuousClock.now
        _ = try await store.compact()
        let duration = start.duration(to: .now)
        try await store.close()
        return duration
    }

    /// Six snapshots, each held while every status in the library changes and a compaction follows.
    private func holdSnapshots() async throws {
        let store = try BookStore(at: path)
        let ids = store.snapshot.works.list().map(\.id)
        var snapshots: [Snapshot] = []
        var kilobytes = [ProcessMemory.dirtyKilobytes ?? 0]
        for round in 0..<6 {
            snapshots.append(store.snapshot)
            let status: ReadingStatus = round % 2 == 0 ? .reading : .abandoned
            for start in stride(from: 0, to: ids.count, by: 1000) {
                let some = Array(ids[start..<min(start + 1000, ids.count)])
                try await store.write(.memory) { library in
                    for id in some {
                        var entry = try library.entry(of: id) ?? UserLibraryEntry(for: id)
                        entry.status = status
                        try library.set(entry)
                    }
                }
            }
            _ = try await store.compact()
            kilobytes.append(ProcessMemory.dirtyKilobytes ?? 0)
        }
        print("\(works) works: dirty memory in KB with 0 to 6 snapshots held \(kilobytes)")
        for snapshot in snapshots { blackHole(try snapshot.works.count) }
        try await store.close()
    }

    private func removeLibrary() throws {
        let fileSystem = PosixFileSystem()
        guard try fileSystem.kind(of: path) == .directory else { return }
        for name in try fileSystem.names(inDirectory: path) { try fileSystem.remove(path + "/" + name) }
        try fileSystem.removeDirectory(path)
    }

    /// Drops the library's files from the system's cache; a host below may keep them.
    private func evict() throws {
        let fileSystem = PosixFileSystem()
        for name in try fileSystem.names(inDirectory: path) {
            let file = try fileSystem.openFile(path + "/" + name, .writing)
            try file.flush(.durable)
            file.discardCache()
            file.close()
        }
    }

    private static func median(_ samples: [Duration]) -> Int {
        samples.map { Int($0 / .microseconds(1)) }.sorted()[samples.count / 2]
    }

    private static func text(_ samples: [Duration]) -> String {
        let milliseconds = samples.map { Int($0 / .milliseconds(1)) }.sorted()
        return "\(milliseconds[milliseconds.count / 2]) ms (\(milliseconds.map(String.init).joined(separator: ", ")))"
    }
}
