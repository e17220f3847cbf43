import StorageEngine

/// Asks a version everything a reader may ask and compares the answers with the model. An answer may be missing only with
/// `.damaged`, and only where it hangs on damaged bytes.
struct ContentsCheck {
    let version: Version
    let contents: StoreContents
    let unreadable: Set<SnapshotMap.EntryName>
    /// Whether every unreadable entry must be refused: nothing in the log stands in for it.
    let isExact: Bool
    /// Trees that are refused as a whole.
    private let lost: Set<UInt32>
    /// Of the entries of a large tree every so many-th is asked for.
    private let stride: Int

    init(_ version: Version, _ contents: StoreContents, _ expectation: RotExpectation) {
        self.version = version
        self.contents = contents
        unreadable = expectation.unreadable
        isExact = !expectation.hasReplay
        lost = Set(version.damagedTrees.map(\.declaration.number.rawValue))
        stride = max(1, contents.entryCount / 400)
    }

    func run() throws {
        for tree in contents.trees {
            let number = tree.declaration.number
            let isHit = unreadable.contains { $0.tree == number.rawValue }
            try checkCounts(tree, isHit)
            for position in Swift.stride(from: 0, to: tree.items.count, by: stride) {
                try checkValue(tree, position)
                try checkRankAndSelect(tree, position, isHit)
            }
            try checkScan(tree, isHit)
            try checkFacets(tree, isHit)
            let absent: [UInt8] = [0xFE, 0xFD]
            try answer(isHit, "a key that is not there") { () throws(StorageError) in
                try version.contains(absent, in: number) == false
            }
        }
    }

    /// Runs a question; `.damaged` counts as an answer where `mayFail`.
    private func answer(
        _ mayFail: Bool, _ question: @autoclosure () -> String, _ body: () throws(StorageError) -> Bool
    ) throws {
        do throws(StorageError) {
            guard try body() else { throw .schemaMismatch("wrong") }
        } catch .damaged(let damage) {
            guard mayFail else { throw RotViolation("\(question()) is refused without need: \(damage)") }
        } catch {
            throw RotViolation("\(question()) is answered wrongly")
        }
    }

    private func checkCounts(_ tree: StoreContents.Tree, _ isHit: Bool) throws {
        let number = tree.declaration.number
        try answer(isHit, "the count of \(tree.declaration.name)") { () throws(StorageError) in
            try version.count(in: number) == tree.items.count
        }
        for (facet, members) in tree.members.enumerated() {
            try answer(isHit, "the count of facet \(facet)") { () throws(StorageError) in
                try version.count(in: number, facet: Facet(facet)) == members.count
            }
        }
    }

    private func checkValue(_ tree: StoreContents.Tree, _ position: Int) throws {
        let item = tree.items[position]
        let name = SnapshotMap.EntryName(tree: tree.declaration.number.rawValue, key: item.key)
        let isUnreadable = unreadable.contains(name) || lost.contains(name.tree)
        var isRefused = true
        try answer(isUnreadable, "the value of \(item.key.prefix(16))") { () throws(StorageError) in
            let value = try version.value(forKey: item.key, in: tree.declaration.number) {
                $0.copyBytes(0..<$0.byteCount)
            }
            isRefused = false
            return value == item.value
        }
        if isUnreadable, isExact, !isRefused { throw RotViolation("the value of \(item.key) was served from damage") }
    }

    private func checkRankAndSelect(_ tree: StoreContents.Tree, _ position: Int, _ isHit: Bool) throws {
        let item = tree.items[position]
        let number = tree.declaration.number
        try answer(isHit, "the rank of entry \(position)") { () throws(StorageError) in
            try version.lowerBound(of: item.key, in: number) == position
        }
        try answer(isHit, "entry \(position)") { () throws(StorageError) in
            guard let entry = try version.entry(at: position, in: number) else { return false }
            return try entry.withKey { $0.copyBytes(0..<$0.byteCount) } == item.key
                && entry.facets.rawValue == item.facets
        }
    }

    private func checkScan(_ tree: StoreContents.Tree, _ isHit: Bool) throws {
        for descending in [false, true] {
            let expected = descending ? tree.items.reversed() : tree.items
            var position = 0
            var isRight = true
            var isCutShort = false
            do throws(StorageError) {
                try version.scan(tree.declaration.number, descending: descending) { key, value in
                    isRight =
                        position < expected.count && key.copyBytes(0..<key.byteCount) == expected[position].key
                        && value.copyBytes(0..<value.byteCount) == expected[position].value
                    position += 1
                    return isRight
                }
            } catch {
                guard case .damaged = error, isHit else {
                    throw RotViolation("a scan is refused without need: \(error)")
                }
                isCutShort = true
            }
            guard isRight, isCutShort || position == expected.count else {
                throw RotViolation("a scan of \(tree.declaration.name) goes wrong at entry \(position)")
            }
            if isHit, isExact, !isCutShort { throw RotViolation("a scan passed over damage") }
        }
    }

    private func checkFacets(_ tree: StoreContents.Tree, _ isHit: Bool) throws {
        let number = tree.declaration.number
        for (facet, members) in tree.members.enumerated() where !members.isEmpty {
            for index in Set([0, members.count / 2, members.count - 1]) {
                let item = tree.items[members[index]]
                try answer(isHit, "member \(index) of facet \(facet)") { () throws(StorageError) in
                    guard let entry = try version.entry(at: index, in: number, facet: Facet(facet)) else {
                        return false
                    }
                    return try entry.withKey { $0.copyBytes(0..<$0.byteCount) } == item.key
                }
                try answer(isHit, "the rank within facet \(facet)") { () throws(StorageError) in
                    try version.lowerBound(of: item.key, in: number, facet: Facet(facet)) == index
                }
            }
        }
    }
}
