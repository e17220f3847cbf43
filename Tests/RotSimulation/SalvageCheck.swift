import StorageEngine

/// Saves what can be saved of a mutated store, and compares it with what the store ever held.
///
/// Everything saved was once there, as it was. A report that all of it was saved is right.
struct SalvageCheck {
    private let shape: StoreShape
    private let image: StoreImage
    private let expectation: RotExpectation

    private struct Saved {
        /// By tree and key. `nil` where the value is lost.
        var values: [UInt32: [[UInt8]: [UInt8]?]] = [:]
        var isWhole: Bool { values.values.allSatisfy { $0.values.allSatisfy { $0 != nil } } }
    }

    init(_ shape: StoreShape, _ image: StoreImage, _ expectation: RotExpectation) {
        self.shape = shape
        self.image = image
        self.expectation = expectation
    }

    func run() throws {
        let salvage: Salvage
        do throws(StorageError) {
            salvage = try Salvage(at: StoreImage.path, fileSystem: RotDisk(image))
        } catch {
            guard expectation.hasNoStore || expectation.cannotOpen else {
                throw RotViolation("nothing is saved of a store that opens: \(error)")
            }
            return
        }
        let saved = try save(salvage)
        try checkOrigin(of: saved)
        let report = salvage.report
        if expectation.kind != .damage, !expectation.hasNoStore {
            guard report.isWhole, report.lostEnd == nil else {
                throw RotViolation("a salvage accuses: \(report.places.map(\.damage)) \(report.missingCommits)")
            }
        }
        if report.generation == nil, !report.places.contains(where: { $0.role == .snapshot }) {
            throw RotViolation("a salvage without a snapshot does not say so")
        }
        // A cold value is read with its entry only. Frames that no replay comes to are found, too.
        guard report.isWhole, report.lostEnd == nil, saved.isWhole, !report.isNothing else { return }
        let commit = Int(report.lastCommit ?? 0)
        guard commit >= expectation.commit, let expected = shape.contents[commit] else {
            throw RotViolation("a salvage ends with commit \(commit), not \(expectation.commit)")
        }
        for tree in expected.trees {
            let values = saved.values[tree.declaration.number.rawValue] ?? [:]
            guard values.count == tree.items.count, tree.items.allSatisfy({ values[$0.key] == $0.value }) else {
                throw RotViolation(
                    "a salvage says that all of \(tree.declaration.name) is there, and gives \(values.count) entries "
                        + "for \(tree.items.count)")
            }
        }
    }

    private func save(_ salvage: Salvage) throws -> Saved {
        var saved = Saved()
        do throws(StorageError) {
            for tree in shape.trees {
                var entries = salvage.entries(in: tree.number)
                while let entry = try entries.next() {
                    saved.values[tree.number.rawValue, default: [:]][entry.key] = .some(entry.value)
                }
            }
            var commits = salvage.commits()
            while let commit = try commits.nextCommit() {
                try commit.forEachOperation(in: Set(shape.trees.map(\.number))) { (operation) throws(StorageError) in
                    switch operation {
                    case .put(let tree, let key, _, let value):
                        saved.values[tree.rawValue, default: [:]][key] = .some(value)
                    case .remove(let tree, let key): saved.values[tree.rawValue]?[key] = nil
                    case .removeAll(let tree): saved.values[tree.rawValue] = nil
                    }
                }
            }
        } catch { throw RotViolation("a salvage ends with \(error)") }
        return saved
    }

    private func checkOrigin(of saved: Saved) throws {
        for (tree, values) in saved.values {
            for (key, value) in values {
                guard let value else { continue }
                guard shape.history.contains(StoreShape.Put(tree: tree, key: key, value: value)) else {
                    throw RotViolation("a salvage gives what the store never held: tree \(tree), key \(key.prefix(16))")
                }
            }
        }
    }
}
