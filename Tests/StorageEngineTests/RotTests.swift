import RotSimulation
import StorageEngine
import TestSupport
import Testing

/// The short form of `./dev torture --rot`: files spoiled in every way, and what must be said of each.
@Suite struct RotTests {
    @Test func `every single-page and single-frame mutation of the golden store is classified right`() async throws {
        let golden = try await StoreShapes.golden()
        for (name, bytes) in golden.image.files where name != "lock" {
            #expect(RepositoryFiles.bytes("Formats/golden/small/" + name) == bytes)
        }
        var run = RotRun()
        try await run.run(golden, ImageMutator.mutations(of: golden, .short, seed: 1))
        #expect(run.violations == [])
        #expect(run.counts.count("damage") > 100 && run.counts.count("residual") > 0)
    }

    @Test func `every page and frame of every golden store, zeroed or exchanged, is classified right`() async throws {
        var run = RotRun()
        for shape in try StoreShapes.goldenFiles() {
            let kinds = ["page zeroed", "page replaced by another", "pages swapped", "frame zeroed", "frame dropped"]
            let mutations = ImageMutator.mutations(of: shape, .short, seed: 1).filter { kinds.contains($0.kind) }
            try await run.run(shape, mutations)
        }
        #expect(run.violations == [])
        #expect(run.counts.byShape.count == 5)
    }

    @Test func `a random sample of the mutations of stores of every shape is classified right`() async throws {
        var random = SeededGenerator.forTest(fallback: 3)
        var run = RotRun()
        for shape in try await StoreShapes.all() {
            let mutations = ImageMutator.mutations(of: shape, .short, seed: random.next())
            try await run.run(shape, Array(mutations.shuffled(using: &random).prefix(12)))
        }
        #expect(run.violations == [])
    }

    /// The closing mark once shared its page with the frames it vouched for.
    @Test func `no single page of a closed store takes commits with it unnoticed`() async throws {
        var run = RotRun()
        let closed = try await StoreShapes.all().filter(\.isClosed)
        for shape in closed {
            let kinds = ["page zeroed", "page of garbage", "page as it was"]
            let mutations = ImageMutator.mutations(of: shape, .short, seed: 4).filter {
                kinds.contains($0.kind) && $0.isOfLog
            }
            try await run.run(shape, mutations)
        }
        #expect(run.violations == [])
        #expect(closed.count > 10 && run.counts.count("damage") > 20 && run.counts.count("residual") == 0)
        #expect(run.counts.byMutation.count == 3)
    }

    @Test func `flushed commits that nothing vouches for any more are told from damage, and counted`() async throws {
        let shape = try await StoreShapes.logOnly(closed: false)
        let mutations = ImageMutator.mutations(of: shape, .short, seed: 2).filter { $0.kind == "frame zeroed" }
        var run = RotRun()
        try await run.run(shape, mutations)
        #expect(run.violations == [])
        // Of eight frames each vouches for the one before it; nothing vouches for the last.
        #expect(run.counts.count("damage") == 7 && run.counts.count("residual") == 1)
    }
}
