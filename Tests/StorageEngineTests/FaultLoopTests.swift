import StorageEngine
import Synchronization
import Testing

/// The n-th call to the disk fails, for every n, once and from then on.
@Suite struct FaultLoopTests {
    enum Kind: String, CaseIterable, CustomTestStringConvertible {
        case once, forEver

        var testDescription: String { rawValue }
    }

    /// What was acknowledged, and what of it has to be there whatever happens then.
    private struct Acknowledged {
        var all: Set<Int> = []
        var durable: Set<Int> = []
    }

    /// Commits of every durability, a compaction and loads, small and large. Gives up at the first error of each step, as an app
    /// would, and goes on with the next.
    private func history(_ fileSystem: FaultyFileSystem) async -> Acknowledged {
        var acknowledged = Acknowledged()
        guard
            let database = try? Database.open(
                at: "A", trees: numberTrees, options: Options(compaction: .manual), fileSystem: fileSystem)
        else { return acknowledged }
        func put(_ number: Int, _ durability: Durability) async {
            guard (try? await database.put(number..<number + 1, durability)) != nil else { return }
            acknowledged.all.insert(number)
            if durability == .flushed { acknowledged.durable = acknowledged.all }
        }
        func load(_ number: Int, byteCount: Int) async {
            let value = [UInt8](repeating: 7, count: byteCount)
            let isDone: Void? = try? await database.load { load in
                try load.makeCollector().put(value, forKey: Self.key(number), in: numbers)
            }
            guard isDone != nil else { return }
            acknowledged.all.insert(number)
            acknowledged.durable = acknowledged.all
        }
        await put(0, .flushed)
        await put(1, .memory)
        await put(2, .ordered)
        await put(3, .flushed)
        if (try? await database.compact()) != nil { acknowledged.durable = acknowledged.all }
        await put(4, .memory)
        await load(5, byteCount: 10)
        await put(6, .memory)
        await load(7, byteCount: 20_000)
        await put(8, .ordered)
        await put(9, .memory)
        await database.settle()
        #expect(database.version.invariantFindings() == [])
        #expect(database.version.memoryFindings() == [])
        for number in acknowledged.all {
            #expect((try? database.version.contains(Self.key(number), in: numbers)) == true)
        }
        if (try? await database.close()) != nil { acknowledged.durable = acknowledged.all }
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
        #expect(await history(unharmed).durable == Set(0..<10))
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
            for number in acknowledged.durable {
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
