import BookDB

/// A run of the app without a case: a launch on the library, then the limits and states of what a reader does first.
struct TrackerRun: Sendable {
    let size: LibrarySize
    /// How long the library took to make; `nil` when it was there.
    let makingTime: Duration?
    let firstFrame: Frame
    let isPremium: Bool?
    let notes: JobNotes
    let times: LaunchTimes
    let jobs: [LaunchJob]
    let health: HealthWords
    let limits: [Limit]
    let states: [State]

    /// Launches, measures and closes.
    ///
    /// - Throws: why the library could not be made, opened or read.
    @MainActor init(_ size: LibrarySize, in folder: TrackerFolder) async throws {
        self.size = size
        makingTime = try await folder.makeLibrary(size)
        let memoryBefore = ProcessMemory.privateByteCount
        let store = BookStore(.file(folder.library(size)))
        let launch = TrackerLaunch(store, in: folder)
        do {
            try await launch.ready()
            health = HealthWords(store.health)
            let measurements = Measurements(store: store, works: launch.works, size: size)
            let readableCount = measurements.scroll()
            let memory = ProcessMemory.privateByteCount.flatMap { after in memoryBefore.map { max(0, after - $0) } }
            let texts = measurements.typedTexts()
            let search = await measurements.search(texts)
            let filter = await measurements.filter()
            let purchases = try await measurements.purchases()
            let imports = try await measurements.importWorks()
            let count = try store.snapshot.works.count
            (firstFrame, isPremium, notes) = (launch.firstFrame, launch.isPremium, launch.notes)
            (times, jobs) = (store.launch.times, store.launch.jobs)
            let firstRowCount = Frame(of: launch.works).rows.count
            let firstRows = times.firstRowsNanoseconds(firstFrame)
            limits = [
                Limit(
                    name: "initial load", allowed: .milliseconds(100), measured: firstRows.map { .nanoseconds($0) },
                    work: "from opening to the first \(firstFrame.rows.count) rows"),
                Limit(
                    name: "search", allowed: .milliseconds(80), measured: .nanoseconds(search.nanoseconds),
                    work: "the slowest of \(texts.count) texts, typed letter by letter"),
                Limit(
                    name: "list memory", allowed: .bytes(60_000_000), measured: memory.map { .bytes($0) },
                    work: "all rows drawn" + (makingTime == nil ? "" : "; run again: making it left memory to use")),
                Limit(
                    name: "review filter", allowed: .milliseconds(30), measured: .nanoseconds(filter.nanoseconds),
                    work: "the slowest of \(ReviewStatus.allCases.count + ReadingStatus.allCases.count) filters"),
                Limit(
                    name: "bootstrap", allowed: .milliseconds(300), measured: .nanoseconds(times.bootstrapNanoseconds),
                    work: "from opening until all is there"),
                Limit(
                    name: Figure.count(size.purchases, "transaction"), allowed: .milliseconds(100),
                    measured: .nanoseconds(purchases.nanoseconds), work: "count, first page, sum of each account"),
                Limit(
                    name: Figure.count(size.imports, "imported work"), allowed: .milliseconds(1_000),
                    measured: .nanoseconds(imports.nanoseconds), work: "from the file into the list, flushed"),
            ]
            states = [
                State(name: "the library is open", expected: "yes", found: health.isOpen ? "yes" : health.name),
                State("rows of the first page", min(Frame.rowCount, count), firstRowCount),
                State("rows that can be read", count, readableCount),
                State("works by status of review", count, filter.countOfReviews),
                State(name: "the typed title is found", expected: "yes", found: search.foundCount > 0 ? "yes" : "no"),
                State("purchases", size.purchases, purchases.count),
                State("works added by the import", size.imports, imports.addedCount),
                State("of them in the list", size.imports, imports.shownCount),
            ]
        } catch {
            try? await store.close()
            throw error
        }
        try await store.close()
    }

    /// Whether everything is as it must be on every machine.
    var statesHold: Bool { states.allSatisfy(\.holds) }

    /// Whether no limit was exceeded.
    var limitsHold: Bool { limits.allSatisfy { $0.holds != false } }
}
