import StorageEngine

extension RecordLibrary {
    /// The kinds of what `RepairReport.items` may name, in the order of reports.
    public static var lostKinds: [LostItem.Kind] { contents.repair?.kinds ?? [] }

    /// Saves what can be saved of a damaged library into a new one. The damaged one is read only, without a lock; nobody
    /// should write to it meanwhile.
    ///
    /// Every record whose bytes can be proved is in the new library under its own identifier. Lists, orders and indexes are
    /// made from them. Where a record is lost and lists and indexes still say enough of it, it is made anew from that. The
    /// new library appears at its path when it is complete and was found sound, and not before. Only its owner may read it.
    ///
    /// Until then it is made beside that path, in a directory that ends in `.unfinished`. A repair that was killed leaves the
    /// directory there, and the next one to the same path removes it and starts over.
    ///
    /// - Throws: `LibraryError.exists` when something is at `output`; `.invalidArgument` for a library that keeps what this class does not know;
    ///   `.inUse` while another repair to it runs; `.damaged` when
    ///   nothing can be saved, or nothing tells which bytes are the library's own; `.notFound`, `.notALibrary`, `.tooNew`, `.notPermitted`, `.diskFull`, `.inputOutput`.
    @concurrent
    public static func repair(at path: String, to output: String) async throws(LibraryError) -> RepairReport {
        try await repair(at: path, to: output, fileSystem: PosixFileSystem())
    }

    /// What `repair(at:to:)` would save, make anew and lose. Writes nothing; works in memory, of which it takes about as
    /// much as the library has bytes.
    @concurrent
    public static func previewRepair(at path: String) async throws(LibraryError) -> RepairReport {
        try await previewRepair(at: path, fileSystem: PosixFileSystem())
    }

    static func previewRepair(
        at path: String, fileSystem: any FileSystem
    ) async throws(LibraryError) -> RepairReport {
        try await translatingErrors {
            let salvage = try openSalvage(at: path, fileSystem)
            return try await rebuild(from: salvage, at: "Preview.bookdb", MemoryFileSystem()).report
        }
    }

    package static func repair(
        at path: String, to output: String, fileSystem: any FileSystem
    ) async throws(LibraryError) -> RepairReport {
        let target = StoreFiles(directory: output)
        return try await translatingErrors {
            guard try fileSystem.kind(of: target.directory) == .absent else {
                throw LibraryError.exists(path: target.directory)
            }
            try requireNoStore(in: target.parent, fileSystem)
            let salvage = try openSalvage(at: path, fileSystem)
            let unfinished = try UnfinishedRepair(to: target, fileSystem)
            do {
                let (report, database) = try await rebuild(from: salvage, at: unfinished.path, fileSystem)
                try await database.close()
                try await makeOrders(at: unfinished.path, fileSystem)
                try requireSound(unfinished.path, fileSystem)
                try unfinished.finish()
                return report
            } catch {
                unfinished.abandon()
                throw error
            }
        }
    }

    // MARK: Pieces

    /// What is made within a library's directory would change that library.
    private static func requireNoStore(in directory: String, _ fileSystem: any FileSystem) throws {
        guard try StoreFiles(directory: directory).isStore(in: fileSystem) else { return }
        throw LibraryError.invalidArgument("\(directory) is a library; another one cannot be made within it.")
    }

    private static func openSalvage(at path: String, _ fileSystem: any FileSystem) throws -> Salvage {
        let salvage = try Salvage(at: path, fileSystem: fileSystem)
        guard !salvage.report.isNothing else {
            let findings = salvage.report.places.map { "\($0.damage.file): \($0.damage.finding)" }
            throw LibraryError.damaged("there is nothing to save. " + findings.joined(separator: "; ") + ".")
        }
        if contents.trees.isEmpty,
            let tree = LibraryRepair.foreignTrees(in: salvage.report, beside: contents).min()
        {
            throw LibraryError.invalidArgument(
                "\(path) keeps more than records, in tree \(tree.rawValue): what is damaged of that only who knows it can save. Repair it "
                    + "as what it is, a BookStore, or with `bookdb repair`.")
        }
        let known = Dictionary(uniqueKeysWithValues: contents.allTrees.map { ($0.number, $0.name) })
        if salvage.report.basis == .superblock {
            for tree in salvage.report.trees.map(\.declaration)
            where known[tree.number].map({ $0 != tree.name }) ?? false {
                throw LibraryError.notALibrary(
                    path: path, reason: "it is a store with a tree “\(tree.name)” of its own")
            }
        }
        return salvage
    }

    private static func rebuild(
        from salvage: Salvage, at path: String, _ fileSystem: any FileSystem
    ) async throws -> (report: RepairReport, database: Database) {
        let others = try LibraryRepair.otherTrees(in: salvage, beside: contents) + LibraryRepair.kindTrees(in: salvage)
        // Links lead to what the contents keep: without these nobody could tell whether it is there.
        var options = Options()
        options.attachment = RecordTypes(beside: contents)
        let database = try Database.open(
            at: path, trees: contents.allTrees + others, options: options, fileSystem: fileSystem)
        do {
            var repair = LibraryRepair(salvage, into: database, of: contents)
            try await repair.run()
            return (repair.state.report, database)
        } catch {
            // Its files are about to be removed, and nobody writes there any more.
            try? await database.close()
            throw error
        }
    }

    /// Makes the orders that the repair has declared, as far as that takes no code of the app, and leaves all of it in a snapshot.
    private static func makeOrders(at path: String, _ fileSystem: any FileSystem) async throws {
        let library = Self(try open(path, LibrarySettings(fileSystem: fileSystem)), buildsOrders: false)
        do {
            try await library.finishOrders()
            try await library.compact()
        } catch {
            try? await library.close()
            throw error
        }
        try await library.close()
    }

    private static func requireSound(_ path: String, _ fileSystem: any FileSystem) throws {
        let verification = try verify(at: path, fileSystem: fileSystem)
        guard !verification.isSound else { return }
        let problems = verification.damage.map(\.description) + verification.checks.flatMap(\.items)
        throw LibraryError.damaged(
            "what was saved does not make a sound library, so nothing was kept of it. \(problems.first ?? "")")
    }
}
