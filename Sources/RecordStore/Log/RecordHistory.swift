import StorageEngine

/// Which records a library had after some commits of its log: what tells an insertion from an update. Commits are taken in order.
///
/// Memory grows with the number of records that they changed, some seventy bytes each, up to the next snapshot.
struct RecordHistory {
    /// What the commits go on behind.
    private var base: Version?
    /// By each tree those whose records, or parts of them, are in it; of the app's own as far as they were met.
    private var kinds: [TreeNumber: [LoggedKind]] = [:]
    /// The names of the app's own, by their trees.
    private var declared: [TreeNumber: String] = [:]
    private var fields: [String: KindFields] = [:]
    private var states: [Place: State] = [:]
    /// Trees of which the base counts no longer, by the commit that has emptied them.
    private var emptied: [TreeNumber: Int] = [:]
    private(set) var commitCount = 0
    /// The earlier commit that was read last: many records that one has deleted were written by one, as a rule.
    private var reread: (commit: Int, records: [Place: [UInt8]])?

    private struct Place: Hashable {
        let tree: TreeNumber
        /// Of a tree that kinds share, the one; those of declared kinds may come to be called otherwise.
        let kind: String
        let id: UInt64

        init(_ kind: LoggedKind, _ id: UInt64) {
            tree = kind.trees[0]
            self.kind = tree < LibraryTree.firstKind ? kind.name : ""
            self.id = id
        }
    }

    private struct State {
        let isThere: Bool
        /// Which commit has its bytes, or took it away.
        let commit: Int
    }

    /// What the operations of a commit do to a record.
    private enum Effect {
        case put(key: [UInt8], [UInt8])
        case gone
        /// A part of it changed, and its own entry did not.
        case ofPart
    }

    init(_ base: Version?, _ contents: LibraryContents) {
        self.base = base
        for kind in contents.logged { for tree in kind.trees { kinds[tree, default: []].append(kind) } }
        for kind in base?.declarations.kinds ?? [] { declared[kind.number] = kind.name }
    }

    /// Goes to the end of a gap: all before it is past, and commits follow that are in no log.
    mutating func passOver(_ gap: StoreLog.Gap) {
        (states, emptied, reread) = ([:], [:], nil)
        (base, commitCount) = (gap.version, gap.end)
        guard let base else { return }
        for kind in base.declarations.kinds { declared[kind.number] = kind.name }
        fields = [:]
        kinds = kinds.filter { $0.key < LibraryTree.firstKind }
    }

    /// The commits before `end` are in a version, and need not be read any more.
    mutating func rest(on version: Version, holdingBefore end: Int) {
        base = version
        states = states.filter { $0.value.commit >= end }
        emptied = emptied.filter { $0.value >= end }
    }

    /// Goes past a commit.
    mutating func take(_ operations: [LoggedOperation]) {
        for (place, _, effect) in effects(of: operations) { note(effect, at: place) }
        commitCount += 1
    }

    /// What a commit does, which is then past.
    ///
    /// - Parameter earlier: the operations of a commit that was taken before.
    mutating func changes(
        by operations: [LoggedOperation], withTexts: Bool, _ earlier: (Int) -> [LoggedOperation]
    ) -> [LoggedCommit.Change] {
        var changes: [LoggedCommit.Change] = []
        for (place, kind, effect) in effects(of: operations) {
            let wasThere = isThere(place, kind)
            let what: LoggedCommit.What
            switch (effect, wasThere) {
            case (.put, false?): what = .inserted
            case (.put, true?), (.ofPart, true?): what = .updated
            case (.put, nil), (.ofPart, nil): what = .written
            case (.gone, true?), (.gone, nil): what = .deleted
            case (.gone, false?), (.ofPart, false?): continue
            }
            var bytes: [UInt8]?
            if withTexts {
                if case .put(_, let written) = effect {
                    bytes = written
                } else {
                    bytes = lastBytes(place, kind, earlier)
                }
            }
            note(effect, at: place)
            changes.append(
                LoggedCommit.Change(
                    kind: kind.name, plural: kind.plural, id: ID<AppRecord>(rawValue: place.id).description,
                    what: what, text: bytes.map(kind.excerpt) ?? ""))
        }
        commitCount += 1
        return changes
    }

    private mutating func note(_ effect: Effect, at place: Place) {
        switch effect {
        case .put: states[place] = State(isThere: true, commit: commitCount)
        case .gone: states[place] = State(isThere: false, commit: commitCount)
        case .ofPart: break
        }
    }

    // MARK: What was there

    /// `nil` when nothing says it.
    private func isThere(_ place: Place, _ kind: LoggedKind) -> Bool? {
        if let state = states[place] { return state.isThere }
        if emptied[place.tree] != nil { return false }
        guard let base else { return nil }
        do { return try kind.find(base, place.id) != nil } catch { return nil }
    }

    /// The record as the commits so far have left it.
    private mutating func lastBytes(
        _ place: Place, _ kind: LoggedKind, _ earlier: (Int) -> [LoggedOperation]
    ) -> [UInt8]? {
        guard let state = states[place] else {
            guard let base, emptied[place.tree] == nil else { return nil }
            return (try? kind.find(base, place.id)) ?? nil
        }
        guard state.isThere else { return nil }
        if let reread, reread.commit == state.commit { return reread.records[place] }
        let records = records(writtenBy: earlier(state.commit))
        reread = (state.commit, records)
        return records[place]
    }

    /// What a commit wrote last of each record.
    private mutating func records(writtenBy operations: [LoggedOperation]) -> [Place: [UInt8]] {
        var records: [Place: [UInt8]] = [:]
        for operation in operations {
            guard case .put(_, let value) = operation.kind, let tree = operation.tree else { continue }
            for kind in kinds(of: tree) where kind.trees[0] == tree {
                guard let (id, _) = kind.record(tree, operation.key) else { continue }
                records[Place(kind, id)] = value
            }
        }
        return records
    }

    // MARK: Operations

    /// What a commit does to each record, in the order of the log; also takes in what it says of kinds and their fields.
    private mutating func effects(of operations: [LoggedOperation]) -> [(Place, LoggedKind, Effect)] {
        var order: [(place: Place, kind: LoggedKind)] = []
        var effects: [Place: Effect] = [:]
        // What kinds are called comes before their records, or behind.
        for operation in operations { learn(operation) }
        for operation in operations {
            guard let tree = operation.tree else { continue }
            for kind in kinds(of: tree) {
                guard let (id, isPart) = kind.record(tree, operation.key) else { continue }
                let place = Place(kind, id)
                let known = effects[place]
                if known == nil { order.append((place, kind)) }
                if isPart {
                    effects[place] = known ?? .ofPart
                } else if case .put(_, let value) = operation.kind {
                    effects[place] = .put(key: operation.key, value)
                } else if case .put(let key, _)? = known, key != operation.key {
                    // It has another key now, and the former one goes.
                } else {
                    effects[place] = .gone
                }
            }
        }
        return order.compactMap { place, kind in effects[place].map { (place, kind, $0) } }
    }

    private mutating func learn(_ operation: LoggedOperation) {
        switch operation.kind {
        case .declare(let tree):
            guard tree.number >= LibraryTree.firstKind else { return }
            declared[tree.number] = tree.name
            kinds[tree.number] = nil
        case .put(_, let value):
            guard operation.tree == LibraryTree.appFields else { return }
            fields[String(decoding: operation.key, as: UTF8.self)] = try? KindFields(decoding: value)
            kinds[KindTree.number(of: operation.key)] = nil
        case .clear:
            guard let tree = operation.tree, !kinds(of: tree).isEmpty else { return }
            emptied[tree] = commitCount
            states = states.filter { $0.key.tree != tree }
        case .remove, .note: break
        }
    }

    /// Those whose records, or parts of them, are in a tree.
    private mutating func kinds(of tree: TreeNumber) -> [LoggedKind] {
        if let known = kinds[tree] { return known }
        guard tree >= LibraryTree.firstKind else { return [] }
        let name = declared[tree] ?? KindTree.nameless(tree)
        let fields = fields(of: name)
        let found = [LoggedKind(name, plural: name, in: tree) { Self.excerpt($0, fields) }]
        kinds[tree] = found
        return found
    }

    private mutating func fields(of kind: String) -> KindFields {
        if let known = fields[kind] { return known }
        let stored = base?.storedFields(of: Array(kind.utf8)) ?? KindFields()
        fields[kind] = stored
        return stored
    }

    /// The first fields of a record of the app's own: `account a3f09c-1, amount -12.50`.
    private static func excerpt(_ bytes: [UInt8], _ fields: KindFields) -> String {
        var text = ""
        for (name, json) in FieldType.members(of: RecordVersion.split(bytes).fields, fields.fields) {
            guard text.count < maximumExcerptCount else { break }
            let value = (try? JSONReader.value(of: json))?.text ?? json
            guard !value.isEmpty else { continue }
            text += (text.isEmpty ? "" : ", ") + name + " " + value
        }
        return text.count > maximumExcerptCount ? text.prefix(maximumExcerptCount - 1) + "…" : text
    }

    private static let maximumExcerptCount = 160
}
