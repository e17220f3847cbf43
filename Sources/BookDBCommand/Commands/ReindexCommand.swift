import ArgumentParser
import BookDB

struct ReindexCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "reindex",
        abstract: "Makes lists and indexes anew from the records.",
        discussion: """
            bookdb reindex Library.bookdb --only title
            bookdb reindex Library.bookdb --dry-run

            Works also when their pages are damaged. Records are not touched: when one of
            them is damaged, `bookdb repair` saves the rest. TREE is one of
            \(Self.names.joined(separator: ", ")).
            """
    )

    @Argument(help: "The library.")
    var library: String

    @Option(help: ArgumentHelp("Only this one, and those that lead to its rows.", valueName: "tree"))
    var only: String?

    @Flag(name: [.customShort("n"), .long], help: "Say what would be done, and change nothing.")
    var dryRun = false

    @OptionGroup var common: CommonOptions

    private static let names = BookStore.derivedTrees.map(\.name)

    func run() async throws {
        let tree = try chosenTree()
        do {
            try await reindex(tree)
        } catch {
            throw NextStep.afterDamage(error, in: library)
        }
    }

    private func chosenTree() throws -> DerivedTree? {
        guard let only else { return nil }
        if let tree = BookStore.derivedTrees.first(where: { $0.name == only }) { return tree }
        if let meant = NearMiss.closest(to: only, among: Self.names) {
            throw CommandFailure.wrongUsage(
                "There is no tree '\(only)'. Did you mean '\(meant)'?",
                next: "bookdb reindex \(word: library) --only \(meant)")
        }
        throw CommandFailure.wrongUsage(
            "There is no tree '\(only)' that is made from records. There are \(Self.names.joined(separator: ", ")).",
            next: "bookdb reindex --help")
    }

    private func reindex(_ tree: DerivedTree?) async throws {
        guard !dryRun else { return try preview(tree) }
        let store = try LibraryAccess.changing(library)
        let progress = ProgressLine("reindexing")
        let report = try await Interruption.cancelling {
            try await store.reindex(only: tree) { progress.update(fraction: $0) }
        } leaving: {
            progress.clear()
            try? await store.close()
            return "No record was touched; each list and index is the new one or the one before, whole. "
                + "An order of the app's own records may be half made: it goes on when an app opens the library."
        }
        progress.clear()
        try await store.close()
        if common.json {
            try Output.print(document(report.trees.map { ($0.tree, $0.entryCount) }, report))
        } else {
            var table = TextTable([.init(), .init(alignment: .right), .init()])
            for (tree, count) in report.trees { table.add([tree.name, NumberText.count(count), tree.words]) }
            try Output.print(["Made anew from the records"] + table.lines(indent: 2))
            if let damage = report.remainingDamage {
                StandardError.say("The file could not be rewritten, because more of it is damaged: \(damage)")
            }
            StandardError.say("→ bookdb verify \(word: library)")
        }
        if report.remainingDamage != nil { throw SilentEnd(status: .found) }
    }

    private func preview(_ tree: DerivedTree?) throws {
        let store = try BookStore(at: library, access: .readOnly)
        // What keeps the command from its work keeps it from a promise.
        if let damage = store.opening.damage { throw LibraryError.damaged(damage.description) }
        let works = try store.snapshot.works.count
        let trees = tree.map(store.treesMadeAnew(with:)) ?? BookStore.derivedTrees
        try store.checkRecords(for: trees)
        if common.json {
            try Output.print(document(trees.map { ($0, nil) }, nil))
            return
        }
        var table = TextTable([.init(), .init()])
        for tree in trees { table.add([tree.name, tree.words]) }
        try Output.print(
            ["Would make anew from the records of \(NumberText.count(works, "work"))"] + table.lines(indent: 2)
                + ["Nothing was changed."])
    }

    private func document(_ trees: [(DerivedTree, Int?)], _ report: ReindexReport?) -> String {
        var json = JSONWriter()
        json.object { json in
            json.member("schema", "bookdb.reindex/1")
            json.member("library", library)
            json.member("dryRun", report == nil)
            json.array("trees") { json in
                for (tree, count) in trees {
                    json.object { json in
                        json.member("name", tree.name)
                        json.optional("entries", count)
                    }
                }
            }
            if let damage = report?.remainingDamage { json.member("remainingDamage", damage) }
        }
        return json.text
    }
}
