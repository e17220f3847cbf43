import StorageEngine

/// Looks at a mutated store in every way the engine offers and compares what it says with what the image is.
public struct RotOracle {
    private let shape: StoreShape
    public private(set) var counts = RotCounts()

    public init(_ shape: StoreShape) { self.shape = shape }

    /// Throws a `RotViolation` that names the shape and the mutation.
    public mutating func check(_ mutation: Mutation) async throws {
        let image = mutation.applied(to: shape.image)
        guard image != shape.image else { return counts.noteUnchanged() }
        let expectation = RotExpectation(of: image, shape)
        do {
            if expectation.kind == .residual, shape.isClosed, image.differsInOnePage(from: shape.image) {
                throw RotViolation(
                    "one page of a closed store takes acknowledged commits with it, and nothing tells of it")
            }
            try checkVerifier(image, expectation)
            try checkReader(image, expectation)
            try await checkWriter(image, expectation)
            try checkInspection(image)
            try SalvageCheck(shape, image, expectation).run()
        } catch let violation as RotViolation {
            throw RotViolation("\(shape.name): \(mutation) (\(expectation.kind)): \(violation)")
        }
        counts.note(expectation.kind, shape.name, mutation)
    }

    // MARK: Places

    private func place(of damage: Damage) -> (file: String, offset: Int) {
        (String(damage.file.dropFirst(StoreImage.path.count + 1)), damage.byteOffset)
    }

    private func isAt(_ place: RotExpectation.Place, _ damage: Damage) -> Bool {
        let (file, offset) = self.place(of: damage)
        return file == place.file && place.range.contains(offset)
    }

    /// A finding names a place that was damaged, and the page when it is one.
    private mutating func check(_ damage: Damage, _ allowed: [RotExpectation.Place], _ who: String) throws {
        guard allowed.contains(where: { isAt($0, damage) }) else {
            throw RotViolation("\(who) names the wrong place: \(damage) Damaged are \(allowed)")
        }
        let (file, offset) = place(of: damage)
        if let map = shape.snapshots[file], allowed.allSatisfy({ $0.range.count == SnapshotMap.pageByteCount }) {
            let isPage = offset < map.pageCount * 4096 || offset >= map.byteCount - map.headPageCount * 4096
            if isPage, damage.page != offset / 4096 {
                throw RotViolation("\(who) does not name the page: \(damage)")
            }
        }
        counts.note(wording: damage.finding, damage.description)
    }

    // MARK: Verifier

    private mutating func checkVerifier(_ image: StoreImage, _ expectation: RotExpectation) throws {
        let disk = RotDisk(image)
        let report: VerificationReport
        do {
            report = try Verifier.verify(at: StoreImage.path, fileSystem: disk)
        } catch {
            guard expectation.hasNoStore, error.saysThatNoStoreIsThere else {
                throw RotViolation("verify gives up: \(error)")
            }
            return
        }
        if expectation.hasNoStore { throw RotViolation("verify finds a store where none is") }
        try checkReads(disk, image)
        let findings = report.damage + report.treeFindings.map(\.damage)
        guard expectation.kind == .damage else {
            if let finding = findings.first { throw RotViolation("verify accuses: \(finding)") }
            return
        }
        guard !findings.isEmpty else { throw RotViolation("verify finds nothing; damaged are \(expectation.allowed)") }
        for finding in findings { try check(finding, expectation.allowed, "verify") }
        for place in expectation.required where !findings.contains(where: { isAt(place, $0) }) {
            throw RotViolation("verify does not find \(place), only \(findings)")
        }
        guard report.checks.reduce(0, { $0 + $1.findingCount }) == findings.count else {
            throw RotViolation("the checks count other than \(findings.count) findings: \(report.checks)")
        }
    }

    /// No buffer was larger than the largest file warrants, or than a window onto a file that says it is long.
    private func checkReads(_ disk: RotDisk, _ image: StoreImage) throws {
        let bytes = image.files.values.map(\.count).max() ?? 0
        let largest = image.byteCounts.isEmpty ? bytes : max(bytes, 1 << 20)
        guard disk.largestRead <= largest else {
            throw RotViolation("\(disk.largestRead) bytes were asked for; the largest file has \(largest)")
        }
    }

    // MARK: Opening

    private mutating func checkReader(_ image: StoreImage, _ expectation: RotExpectation) throws {
        let disk = RotDisk(image)
        do {
            let database = try Database.open(
                at: StoreImage.path, trees: [], options: Options(access: .readOnly), fileSystem: disk)
            if expectation.cannotOpen || expectation.hasNoStore { throw RotViolation("a reader opens it") }
            if let damage = database.opening.damage {
                guard expectation.isLogCut else { throw RotViolation("a reader sees damage: \(damage)") }
                try check(damage, expectation.allowed, "the reader's report")
            } else if expectation.isLogCut {
                throw RotViolation("a reader is told nothing and ends at commit \(database.version.commitNumber)")
            }
            try check(database.version, expectation)
        } catch let error as StorageError {
            let mayRefuse = expectation.cannotOpen || expectation.isLogCut || expectation.mayRefuse
            try check(refusal: error, mayRefuse, expectation, "a reader")
        }
        guard disk.image == image else { throw RotViolation("a reader changed the store") }
        try checkReads(disk, image)
    }

    private mutating func check(
        refusal error: StorageError, _ mayRefuse: Bool, _ expectation: RotExpectation, _ who: String
    ) throws {
        if expectation.hasNoStore, error.saysThatNoStoreIsThere { return }
        guard mayRefuse, case .damaged(let damage) = error else { throw RotViolation("\(who) is refused: \(error)") }
        try check(damage, expectation.allowed + expectation.allowedOfOpening, who)
    }

    private mutating func check(_ version: Version, _ expectation: RotExpectation) throws {
        guard Int(version.commitNumber) == expectation.commit, let contents = shape.contents[expectation.commit] else {
            throw RotViolation("it ends with commit \(version.commitNumber), not \(expectation.commit)")
        }
        for tree in version.damagedTrees {
            guard expectation.treesInDoubt.contains(tree.declaration.number.rawValue) else {
                throw RotViolation("tree \(tree.declaration.name) is refused without need: \(tree.damage)")
            }
            try check(tree.damage, expectation.allowed, "the report of a damaged tree")
        }
        try ContentsCheck(version, contents, expectation).run()
    }

    private mutating func checkWriter(_ image: StoreImage, _ expectation: RotExpectation) async throws {
        let disk = RotDisk(image)
        let database: Database
        do {
            database = try open(disk)
        } catch {
            let mayRefuse = expectation.cannotOpen || expectation.isLogCut || expectation.mayRefuse
            try check(refusal: error, mayRefuse, expectation, "a writer")
            guard disk.image.withoutLock == image.withoutLock else {
                throw RotViolation("a refused opening changed the store")
            }
            return
        }
        do {
            if expectation.cannotOpen || expectation.isLogCut { throw RotViolation("a writer opens it") }
            try check(database.version, expectation)
            try checkAside(database.opening, image, disk)
            if expectation.unreadable.isEmpty {
                try await goOn(database, disk, expectation)
            } else {
                try await checkCompaction(of: database, expectation)
                try await database.close()
            }
        } catch let error as StorageError {
            // What is damaged cannot be moved to a new name either.
            if database.opening.isNameInDoubt, !expectation.unreadable.isEmpty { return }
            throw RotViolation("the opened store fails: \(error)")
        }
    }

    /// What an opening cuts off the log lies beside the store, byte for byte.
    private func checkAside(_ opening: OpeningReport, _ image: StoreImage, _ disk: RotDisk) throws {
        let byteCount = opening.tornByteCount + opening.setAsideByteCount
        guard byteCount > 0,
            let sequence = image.numbers(of: "log-").last(where: { sequence in
                LogReading(image.files[StoreImage.name("log-", sequence)]!)?.lastStray != nil
            })
        else { return }
        let bytes = image.files[StoreImage.name("log-", sequence)]!
        let start = LogReading(bytes)!.end
        let cut = Array(bytes[start..<start + byteCount])
        guard disk.image.files.contains(where: { $0.key.hasPrefix("aside-") && $0.value == cut }) else {
            throw RotViolation("\(byteCount) bytes were cut off the log and are gone")
        }
    }

    private func open(_ disk: RotDisk) throws(StorageError) -> Database {
        var options = Options(compaction: .manual, storeIdentifier: Array("the store itself".utf8))
        options.keepsHistory = false
        return try Database.open(at: StoreImage.path, trees: shape.trees, options: options, fileSystem: disk)
    }

    /// What cannot be read is not compacted away.
    private mutating func checkCompaction(of database: Database, _ expectation: RotExpectation) async throws {
        do {
            try await database.compact()
        } catch StorageError.damaged {
            return try check(database.version, expectation)
        }
        guard expectation.hasReplay, database.version.damagedTrees.isEmpty else {
            throw RotViolation("a compaction passed over damage")
        }
        try check(database.version, expectation)
    }

    /// The store takes a commit that survives another opening, and a compaction leaves a store without a finding.
    private func goOn(_ database: Database, _ disk: RotDisk, _ expectation: RotExpectation) async throws {
        guard let tree = shape.trees.first?.number else { return }
        let mark: [UInt8] = [0xFF, 0xFF, 0xFF]
        try await database.write { try $0.put(mark, forKey: mark, in: tree) }
        try await database.close()
        let reopened = try open(disk)
        guard Int(reopened.version.commitNumber) == expectation.commit + 1,
            try reopened.version.value(forKey: mark, in: tree, { $0.byteCount }) == mark.count
        else { throw RotViolation("a commit behind it did not survive") }
        try await reopened.compact()
        try await reopened.write { _ = try $0.remove(mark, in: tree) }
        let withoutMark = reopened.version
        let contents = shape.contents[expectation.commit]!
        try ContentsCheck(withoutMark, contents, expectation).run()
        try await reopened.close()
        let report = try Verifier.verify(at: StoreImage.path, fileSystem: disk)
        let isStrange = disk.image.numbers(of: "snapshot-").count > 1
        guard report.isSound || isStrange else {
            throw RotViolation("after a compaction verify finds \(report.damage) \(report.treeFindings)")
        }
    }

    // MARK: Inspection

    /// Neither traps, whatever they say.
    private func checkInspection(_ image: StoreImage) throws {
        let disk = RotDisk(image)
        _ = try? StoreInspection(at: StoreImage.path, fileSystem: disk)
        for (name, bytes) in image.files where shape.image.files[name] != bytes && !bytes.isEmpty {
            _ = try? FileDump.lines(of: StoreImage.path + "/" + name, fileSystem: disk)
        }
        try checkReads(disk, image)
    }
}

extension StorageError {
    fileprivate var saysThatNoStoreIsThere: Bool {
        switch self {
        case .notFound(StoreImage.path), .notAStore: true
        default: false
        }
    }
}
