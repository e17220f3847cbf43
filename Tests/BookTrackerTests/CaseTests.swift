import BookDB
import Dispatch
import Foundation
import Testing

@testable import BookTracker
@testable import StorageEngine

@Suite struct CaseTests {
    struct Planned: CustomTestStringConvertible, Sendable {
        let fault: any Fault
        var testDescription: String { fault.title }
    }

    static let faults = [SpoiledPage() as any Fault, SpoiledLog(), NewerFormat(), NewerFeature()].map(Planned.init)

    @Test(arguments: faults)
    func `a fault is shown as what it is, and without it the same launch is ready`(_ planned: Planned) async throws {
        let fixture = try await TrackerFixture.made()
        let play = FaultCase(fault: planned.fault, folder: fixture.folder, size: fixture.size)
        let sound = try await play.play(isInjected: false).findings
        #expect(sound.health.name == "ready" && sound.reach.isWhole && sound.lastFrame.count == 60)
        #expect(!planned.fault.isShown(by: sound))
        let (what, faulty) = try await play.play()
        #expect(planned.fault.isShown(by: faulty), "\(what) \(faulty)")
        #expect(faulty.health.nextStep != nil)
        #expect(fixture.names == ["Library-60.bookdb"], "copies are gone")
    }

    @Test(arguments: faults)
    func `a fault changes one file of the copy, and leaves the others and the library`(_ planned: Planned) async throws
    {
        let fixture = try await TrackerFixture.made()
        let before = try Self.files(fixture.path)
        let copy = try fixture.folder.copyLibrary(fixture.size)
        defer { copy.remove() }
        try await planned.fault.prepare(copy)
        let sound = try Self.files(copy.path)
        _ = try planned.fault.inject(into: copy)
        let faulty = try Self.files(copy.path)
        #expect(faulty.keys == sound.keys && faulty.filter { sound[$0] != $1 }.count == 1)
        #expect(try Self.files(fixture.path) == before)
    }

    private static func files(_ path: String) throws -> [String: Data] {
        let names = try FileManager.default.contentsOfDirectory(atPath: path)
        return try Dictionary(
            uniqueKeysWithValues: names.map { ($0, try Data(contentsOf: URL(filePath: path + "/" + $0))) })
    }

    @Test func `commits behind the damage of a log are missing, and those before are there`() async throws {
        let fixture = try await TrackerFixture.made()
        let findings = try await FaultCase(fault: SpoiledLog(), folder: fixture.folder, size: fixture.size).play()
            .findings
        #expect(findings.reach.isReadable && findings.health.sentence.contains("log-"))
        #expect(findings.reach.changes.allSatisfy { $0.refusal != nil })
    }

    /// Closed until it is opened, for all who come.
    private final class Gate: Sendable {
        private let semaphore = DispatchSemaphore(value: 0)
        func pass() {
            semaphore.wait()
            semaphore.signal()
        }
        func open() { semaphore.signal() }
    }

    @Test func `the first frame does not wait for a slow disk, and the list is there when the disk is`() async throws {
        let fixture = try await TrackerFixture.made()
        let gate = Gate()
        let disk = SlowDisk { gate.pass() }
        let play = SlowDiskCase(folder: fixture.folder, size: fixture.size)
        let findings = try await play.play(disk) { gate.open() }
        #expect(SlowDiskCase.isShown(by: findings), "\(findings)")
        #expect(disk.openedFileCount > 1)
        #expect(findings.firstFrame.rows.isEmpty && findings.lastFrame.rows.count == 50)
        #expect(findings.commits.map(\.isWhole) == [true, false])
        #expect(findings.commits.map(\.changedWorkCount) == [0, 3])
        #expect(findings.commits.map(\.workCount) == [60, 60])
    }

    @Test func `a restore that is staged is carried out by the next launch, and without it the change stays`()
        async throws
    {
        let fixture = try await TrackerFixture.made()
        let play = RestoreCase(folder: fixture.folder, size: fixture.size)
        let kept = try await play.play(isStaged: false)
        #expect(kept.staged == nil && kept.findings.lastRestore == nil && kept.findings.lastFrame.count == 57)
        #expect(!RestoreCase.isShown(by: kept))
        let restored = try await play.play()
        #expect(RestoreCase.isShown(by: restored), "\(restored)")
        #expect(restored.countAfterChange == 57 && restored.findings.lastFrame.count == 60)
        #expect(restored.findings.lastRestore?.backup == restored.staged?.backup)
        #expect(fixture.names == ["Library-60.bookdb"])
    }

    @Test func `a restore while the app runs brings the library back, and what it replaced can be restored`()
        async throws
    {
        let fixture = try await TrackerFixture.made()
        let played = try await LiveRestoreCase(folder: fixture.folder, size: fixture.size).play()
        #expect(LiveRestoreCase.isShown(by: played), "\(played)")
        #expect(played.countAfterChange == 57 && played.countRestored == 60 && played.countBack == 57)
        #expect(fixture.names == ["Library-60.bookdb"])
    }

    @Test func `the fields that a case changes are those of the format`() {
        #expect(SnapshotBytes.Superblock.formatVersion == SuperblockField.formatVersion.offset)
        #expect(SnapshotBytes.Superblock.treeCount == SuperblockField.treeCount.offset)
        #expect(SnapshotBytes.Superblock.readOnlyFeatures == SuperblockField.readOnly.offset)
        #expect(SnapshotBytes.Superblock.checksum == SuperblockField.checksum.offset)
        #expect(SnapshotBytes.Tree.rootPage == CatalogueField.rootPage.offset)
        #expect(SnapshotBytes.Tree.name == CatalogueField.name.offset)
        #expect(SnapshotBytes.Tree.byteCount == CatalogueField.byteCount)
        #expect(SnapshotBytes.pageByteCount == NodeLayout.pageByteCount)
    }

    @Test func `another process writes, and its death costs nothing that it was told of`() async throws {
        let fixture = try await TrackerFixture.made()
        var play = TwoProcessesCase(folder: fixture.folder, size: fixture.size)
        play.program = Self.program
        let played = try await play.play()
        #expect(TwoProcessesCase.isShown(by: played), "\(played)")
        #expect(played.countBefore == 60 && played.toldCount == 100 && played.ownCount == 11)
        #expect(played.countAfter >= 171 && played.latencies.count == 100)
        #expect(fixture.names == ["Library-60.bookdb"], "copies are gone")
    }

    /// Where the build put the tracker: beside the tests.
    private static var program: URL {
        let tests = Bundle.allBundles.first { $0.bundlePath.hasSuffix(".xctest") }?.bundleURL
        let folder = (tests ?? URL(filePath: CommandLine.arguments[0]).resolvingSymlinksInPath())
            .deletingLastPathComponent()
        return folder.appendingPathComponent("BookTracker")
    }

}
