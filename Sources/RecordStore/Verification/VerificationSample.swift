import StorageEngine

/// Reads some of a library at random and says whether it could: a little in every launch finds damage before somebody needs what it has hit.
///
/// Every entry of every tree is as likely as every other. Each look descends from the root, so each page on the way that was not read since the library was
/// opened is checked against the checksum that its parent holds; a value in a block of cold text is taken out of that. The
/// app's own records are taken apart. At most 64 new pages are read, 256 KiB, and 256 places looked at.
struct VerificationSample {
    static let pageCount = 64
    static let placeCount = 256
    /// Entries that are read at each place.
    static let entryCountOfPlace = 4
    /// After so many places others go first.
    static let placeCountOfPiece = 16

    private(set) var entryCount = 0
    /// Pages that nobody had read before.
    private(set) var readPageCount = 0
    private(set) var damages: [Damage] = []

    private let version: Version
    private let path: String
    private let trees: [(tree: TreeDeclaration, count: Int)]
    private let total: Int
    private let kinds: Set<TreeNumber>
    private let pageCountBefore: Int
    private var placeCount = 0

    /// - Parameter path: of the library.
    init(_ version: Version, at path: String) {
        (self.version, self.path) = (version, path)
        // What is known to be damaged is told already.
        let damaged = Set(version.damagedTrees.map(\.declaration.number))
        trees = version.declarations.filter { !damaged.contains($0.number) }.compactMap { tree in
            (try? version.count(in: tree.number)).flatMap { $0 > 0 ? (tree, $0) : nil }
        }
        total = trees.reduce(0) { $0 + $1.count }
        kinds = Set(version.declarations.kinds.map(\.number))
        pageCountBefore = version.touchedPageCount
    }

    /// Looks at some more places.
    ///
    /// - Returns: whether there is more to do.
    mutating func goOn(using random: inout some RandomNumberGenerator) -> Bool {
        guard total > 0 else { return false }
        for _ in 0..<Self.placeCountOfPiece {
            guard placeCount < Self.placeCount, readPageCount < Self.pageCount else { return false }
            placeCount += 1
            var position = Int.random(in: 0..<total, using: &random)
            guard
                let (tree, count) = trees.first(where: { tree in
                    defer { position -= tree.count }
                    return position < tree.count
                })
            else { return false }
            position += count
            look(at: position..<min(position + Self.entryCountOfPlace, count), in: tree)
            readPageCount = version.touchedPageCount - pageCountBefore
        }
        return true
    }

    private mutating func look(at positions: Range<Int>, in tree: TreeDeclaration) {
        let isKind = kinds.contains(tree.number)
        do {
            try version.scan(tree.number, positions: positions) { key, value in
                entryCount += 1
                if isKind, let problem = TaggedWalk.problem(in: value.copyBytes(0..<value.byteCount)) {
                    let name = key.copyBytes(0..<key.byteCount).hexadecimal
                    note(
                        Damage(
                            file: path, byteOffset: 0,
                            finding: "\(tree.name) \(name) is no record: \(problem.description)"))
                }
                return true
            }
        } catch {
            // What the disk cannot give now is no damage.
            if case .damaged(let damage) = error { note(damage) }
        }
    }

    private mutating func note(_ damage: Damage) {
        if !damages.contains(damage) { damages.append(damage) }
    }

    /// In words.
    var outcome: String {
        let seen = "\(entryCount) entries and \(readPageCount) pages were read"
        guard let first = damages.first else { return "sound: " + seen }
        return "damaged: \(first); \(seen)"
    }
}

extension RecordLibrary {
    /// Reads some of the library at random, and tells `health` and the log of what is damaged. Lets the app's work go first.
    ///
    /// - Returns: what was found, in words.
    func verifySample(_ diagnose: ((String) -> DiagnosticEvent) -> Void) async throws -> String {
        var random = SystemRandomNumberGenerator()
        return try await verifySample(diagnose, using: &random)
    }

    func verifySample(
        _ diagnose: ((String) -> DiagnosticEvent) -> Void, using random: inout some RandomNumberGenerator
    ) async throws -> String {
        var sample = VerificationSample(database.version, at: database.path)
        repeat {
            await launch.userCalls.yield()
            try Task.checkCancellation()
        } while sample.goOn(using: &random)
        // What a page or a block says by itself was told when it was read.
        let met = database.metDamages.map(\.damage)
        for damage in sample.damages where !met.contains(damage) && healthBoard.note(damage) {
            diagnose { .damageMet(damage, at: $0) }
        }
        return sample.outcome
    }
}
