import StorageEngine
import Synchronization
import Testing

/// The n-th call to the disk fails, for every n, once and from then on.
@Suite struct FaultLoopTests {
    enum Kind: String, CaseIterable, CustomTestStringConvertible {
        case once, forEver

        var testDescription: String { rawValue }
    }

    /// Commits, a compaction and more commits, keeping what was acknowledged as flushed. Gives up at the first error of each
    /// step, as an app would, and goes on with the next.
    private func history(_ fileSystem: FaultyFileSystem) async -> Int {
        guard
            let database = try? Database.open(
                at: "A", trees: numberTrees, options: Options(compaction: .manual), fileSystem: fileSystem)
        else { return 0 }
        var acknowledged = 0
        for number in 0..<4 where (try? await database.put(number..<number + 1)) != nil { acknowledged |= 1 << number }
        _ = try? await database.compact()
        for number in 4..<8 where (try? await database.put(number..<number + 1)) != nil { acknowledged |= 1 << number }
        #expect(database.version.invariantFindings() == [])
        for number in 0..<8 where acknowledged >> number & 1 == 1 {
            #expect((try? database.version.contains(Self.key(number), in: numbers)) == true)
        }
        _ = try? await database.close()
        return acknowledged
    }

    private static func key(_ number: Int) -> [UInt8] { withUnsafeBytes(of: UInt64(number).bigEndian) { [UInt8]($0) } }

    @Test(
        arguments: Kind.allCases,
        [
            StorageError.inputOutput(operation: "call", path: "A", code: 5), .diskFull(path: "A"),
        ])
    func `whichever call to the disk fails, what was acknowledged is there afterwards`(
        kind: Kind, error: StorageError
    ) async throws {
        let unharmed = FaultyFileSystem()
        let calls = Mutex(0)
        unharmed.fail { _, _ in
            calls.withLock { $0 += 1 }
            return nil
        }
        #expect(await history(unharmed) == 0xFF)
        let callCount = calls.withLock { $0 }
        #expect(callCount > 30)
        for failing in 1...callCount {
            let fileSystem = FaultyFileSystem()
            let made = Mutex(0)
            fileSystem.fail { _, _ in
                let call = made.withLock { count in
                    count += 1
                    return count
                }
                return call == failing || (kind == .forEver && call > failing) ? error : nil
            }
            let acknowledged = await history(fileSystem)
            fileSystem.fail(nil)
            let reopened = try Database.open(at: "A", trees: numberTrees, fileSystem: fileSystem)
            for number in 0..<8 where acknowledged >> number & 1 == 1 {
                let isThere = try reopened.version.contains(Self.key(number), in: numbers)
                #expect(isThere, "call \(failing): \(number) was acknowledged and is gone")
            }
            #expect(reopened.version.invariantFindings() == [])
            try await reopened.put(100..<101)
            try await reopened.close()
            let report = try Verifier.verify(at: "A", fileSystem: fileSystem)
            #expect(report.isSound, "call \(failing)")
        }
    }
}
