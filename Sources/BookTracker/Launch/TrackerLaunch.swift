import BookDB

/// The launch of the app: what it does before its first frame, and what waits until that is on the screen.
///
/// The library opens in the background. Whatever it has by the first frame is shown; the list follows it from there.
@MainActor final class TrackerLaunch {
    let store: BookStore
    let works: WorkList
    let notes = JobNotes()
    /// What the reader saw first.
    let firstFrame: Frame
    /// What the shop said last, as far as that was known by the first frame.
    let isPremium: Bool?

    private let premium: Verified<Bool>

    /// - Parameter store: just opened, and perhaps still being opened.
    init(_ store: BookStore, in folder: TrackerFolder, shop: Shop = Shop()) {
        let works = store.launch.beforeFirstFrame("the list of works") { WorkList(store, by: .title) }
        let premium = Verified(store, "premium", Bool.self)
        isPremium = store.launch.beforeFirstFrame("the kept answer of the shop") { premium.value }
        firstFrame = store.launch.beforeFirstFrame("the first rows") { Frame(of: works) }
        (self.store, self.works, self.premium) = (store, works, premium)
        declareJobs(folder, shop)
        store.launch.firstFrame()
    }

    private func declareJobs(_ folder: TrackerFolder, _ shop: Shop) {
        let (store, notes) = (store, notes)
        premium.verify {
            let answer = try await shop.premium()
            notes["verify premium"] = "the shop says \(answer ? "yes" : "no"), as was kept"
            return answer
        } mismatch: { kept, actual in
            notes["verify premium"] =
                "the shop says \(actual ? "yes" : "no"), \(kept.map { $0 ? "yes" : "no" } ?? "nothing") was kept"
        }
        // The rest say how it went themselves.
        store.launch.afterFirstFrame("suggestions", priority: .low, after: ["verify premium"], retry: .whenActive) {
            let waiting = try await store.read { snapshot throws(LibraryError) in
                try snapshot.works.list(by: .added, .status(.wantToRead), direction: .reverse).page(offset: 0, limit: 3)
            }
            return "\(waiting.count) of the works to read"
        }
        store.launch.afterFirstFrame("remove old copies", priority: .background, every: .seconds(86_400)) {
            "\(try folder.removeCopies(olderThan: .seconds(3_600))) removed"
        }
    }

    /// Returns when the library is open, the list shows what there is, and no job runs or waits for its turn.
    ///
    /// - Throws: why nothing of the library can be read.
    func ready() async throws(LibraryError) {
        do {
            try await store.ready()
        } catch {
            await store.launch.finished()
            throw error
        }
        await works.shows(store.snapshot.commitNumber)
        await store.launch.finished()
    }
}
