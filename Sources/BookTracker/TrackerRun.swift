import BookDB

/// A run of the app without a case: a launch on the library, and what a reader does first.
struct TrackerRun: Sendable {
    let size: LibrarySize
    /// How long the library took to make; `nil` when it was there.
    let makingTime: Duration?
    let firstFrame: Frame
    /// What the shop said last, as far as that was known by the first frame.
    let isPremium: Bool?
    let notes: JobNotes
    let times: LaunchTimes
    let jobs: [LaunchJob]
    let health: HealthWords
    let measured: Measured

    /// Launches, measures and closes.
    ///
    /// - Throws: why the library could not be made, opened, read or changed.
    @MainActor init(_ size: LibrarySize, in folder: TrackerFolder) async throws {
        self.size = size
        makingTime = try await folder.makeLibrary(size)
        // What made the library has left memory that the list would use again, so the figure would be too small.
        let memoryBefore = makingTime == nil ? ProcessMemory.privateByteCount : nil
        let store = BookStore(.file(folder.library(size)))
        let launch = TrackerLaunch(store, in: folder)
        do {
            try await launch.ready()
            health = HealthWords(store.health)
            measured = try await Measurements(store: store, works: launch.works, size: size).all(memoryBefore)
        } catch {
            try? await store.close()
            throw error
        }
        (firstFrame, isPremium, notes) = (launch.firstFrame, launch.isPremium, launch.notes)
        (times, jobs) = (store.launch.times, store.launch.jobs)
        try await store.close()
    }
}
