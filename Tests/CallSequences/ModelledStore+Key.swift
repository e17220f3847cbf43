import CrashSimulation
import StorageEngine

/// When two states are one.
extension ModelledStore {
    /// Equal for stores that answer every sequence of calls alike, whatever numbers their commits, generations and segments have.
    ///
    /// Numbers are counted from the newest, and from two on they are alike: a store of four commits in its log is one of five.
    /// Of the files it is compared what they are, which of them are whole on the medium, what is on its way there, and what the
    /// next opening would make of them, with all of that and with none.
    func key() throws(Violation) -> Int { try Violation.wrapping { try hash() } }

    private func hash() throws -> Int {
        var hasher = Hasher()
        // The model.
        let now = disk.operationCount
        for promise in [afterPowerCut, afterKill] {
            hasher.combine(promise.kept(at: now).offsets(from: commit).map(Self.few))
        }
        // Which keys the transactions have used makes no difference; what a load left makes the snapshot larger.
        hasher.combine(contents.values.contains { $0.count > 100 })
        if let held {
            hasher.combine(Self.few(held.commit.distance(to: commit)))
            hasher.combine(held.snapshots == disk.snapshotNames)
        }
        hasher.combine(closing.map { $0.words == Result.success(()).words })
        hasher.combine(isExcused)
        hasher.combine(hadFault)
        hasher.combine(disk.fault)
        // The disk.
        let medium = disk.medium()
        hasher.combine(disk.shape(medium))
        // The store. One that takes writes knows what its files hold; of any other the next opening finds out.
        var takesWrites = false
        if let database, case .done(let summary) = try run({ await database.summary() }) {
            hasher.combine(summary)
            takesWrites = ["idle", "stalled"].contains(summary["phase"])
        }
        if !takesWrites {
            let none = medium.image(survivors: medium.pending.map { _ in false })
            for files in [none.files ?? [:], disk.files] { hasher.combine(opening(of: files)) }
        }
        return hasher.finalize()
    }

    /// What a reader makes of files.
    private func opening(of files: [String: [UInt8]]) -> [String] {
        let disk = RecordingDisk(directory: SimulatedStore.path, files: files)
        do throws(StorageError) {
            let opened = try Database.open(
                at: SimulatedStore.path, trees: [], options: Options(access: .readOnly), fileSystem: disk)
            let report = opened.opening
            return [
                "\(Self.few(opened.version.commitNumber.distance(to: commit)))",
                "\(Self.few(report.replayedCommits))", "\(report.tornByteCount > 0)", "\(report.setAsideByteCount > 0)",
                "\(report.fellBack)", "\(report.damage as Any)".withoutDigits,
            ]
        } catch { return ["\(error)".withoutDigits] }
    }

    private static func few(_ count: Int) -> Int { max(-2, min(count, 2)) }
}

extension RecordingDisk {
    var snapshotNames: [String] { files.keys.filter { $0.hasPrefix("snapshot-") }.sorted() }

    /// The files that count, what of them is on the medium, and what is on its way there, with numbers counted from the newest. What
    /// was never finished counts for nothing: the next opening removes it.
    func shape(_ medium: CrashState) -> Set<String> {
        let (view, durable) = (files, medium.image(survivors: medium.pending.map { _ in false }).files ?? [:])
        let names = Set(view.keys).union(durable.keys).filter { !$0.isUnfinished }
        let newest = (log: names.compactMap(\.segment).max() ?? 0, other: names.compactMap(\.generation).max() ?? 0)
        func relative(_ name: String) -> String {
            if let segment = name.segment { return "log \(max(-2, segment - newest.log))" }
            return "\(name.prefix { $0 != "-" }) \(name.generation.map { max(-1, $0 - newest.other) } ?? 0)"
        }
        var lines = Set(
            names.map { name in
                let (now, then) = (view[name], durable[name])
                let words = now == nil ? "gone" : then == nil ? "new" : now == then ? "whole" : "changed"
                return "\(relative(name)): \(words)"
            })
        for case .rename(let name, _, let target) in medium.pending {
            lines.insert("\(relative(name)) to \(relative(target))")
        }
        return lines
    }
}

extension String {
    var withoutDigits: String { filter { !$0.isNumber } }

    /// The number of a log segment's name, finished or not.
    fileprivate var segment: Int? { hasPrefix("log-") ? Int(dropFirst(4).prefix(16), radix: 16) : nil }

    /// The number of a snapshot's name, or its companion's.
    fileprivate var generation: Int? {
        guard let dash = firstIndex(of: "-"), hasPrefix("snapshot-") || hasPrefix("search-") else { return nil }
        return Int(self[index(after: dash)...].prefix(16), radix: 16)
    }

    fileprivate var isUnfinished: Bool { contains(".tmp") }
}
