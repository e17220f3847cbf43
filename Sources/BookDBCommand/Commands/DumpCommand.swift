import ArgumentParser
import BookDB

struct DumpCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "dump",
        abstract: "The bytes of one structure, each with what it means.",
        discussion: """
            bookdb dump Library.bookdb header             superblocks, segment heads
            bookdb dump Library.bookdb page 12            a page by its number
            bookdb dump Library.bookdb node title         the root of a tree
            bookdb dump Library.bookdb node title:0       its first leaf
            bookdb dump Library.bookdb node title:1:0     its first page of level 1
            bookdb dump Library.bookdb record a3f09c-12   what an identifier stands for
            bookdb dump Library.bookdb log                every commit of the log
            bookdb dump Library.bookdb log 18422          one commit

            Pages of a level count from 0, left to right; level 0 are the leaves.
            Works on a damaged library too: lines that begin with ✗ say what does
            not fit, and the command ends with 1. Changes nothing. The formats are
            described in the folder Formats of BookDB.
            """
    )

    @Argument(help: "The library.")
    var library: String

    @Argument(help: ArgumentHelp("header, page, node, record or log.", valueName: "what"))
    var what: String

    @Argument(help: ArgumentHelp("Which page, node, record or commit.", valueName: "which"))
    var which: String?

    func run() throws {
        let part = try part()
        var output = Output.standard
        var failure: CommandFailure?
        let outcome = try withoutActuallyEscaping({ (line: String) in
            guard failure == nil else { return }
            do throws(CommandFailure) { try output.write(line: line) } catch { failure = error }
        }) { emit in
            try BookStore.dump(part, of: library, emit)
        }
        if let failure { throw failure }
        try output.flush()
        switch outcome {
        case .shown(misfits: 0): return
        case .shown(let misfits):
            StandardError.say("\(NumberText.count(misfits, "line")) marked ✗: what does not fit the format.")
            StandardError.say("→ bookdb verify \(word: library) says what is affected")
            throw SilentEnd(status: .found)
        case .absent(let sentence):
            if what == "record", let which, let hint = hint(which) { throw hint }
            throw CommandFailure(status: .notFound, sentence: sentence, next: nextStep)
        }
    }

    private static let kinds = ["header", "page", "node", "record", "log"]

    /// What the words name, or what is wrong with them.
    private func part() throws(CommandFailure) -> DumpPart {
        switch what {
        case "header":
            guard let which else { return .header }
            throw .wrongUsage(
                "There is one header, and no '\(which)' of it.", next: "bookdb dump \(word: library) header")
        case "page":
            guard let which, let number = Int(which), number >= 0 else {
                throw wrong("A page has a number", example: "page 12")
            }
            return .page(number)
        case "node":
            guard let which, let node = Self.node(which) else {
                throw wrong("A node is TREE, TREE:N or TREE:LEVEL:N, with numbers from 0", example: "node title:0")
            }
            return node
        case "record":
            guard let which, let id = ID<Work>(which) else {
                if let which, let hint = hint(which) { throw hint }
                throw wrong("A record has an identifier, as ls prints it", example: "record a3f09c-1024")
            }
            return .record(id.rawValue)
        case "log":
            guard let which else { return .log(commit: nil) }
            guard let commit = UInt64(which) else { throw wrong("A commit has a number", example: "log 18422") }
            return .log(commit: commit)
        default:
            let meant = NearMiss.closest(to: what, among: Self.kinds)
            let hint = meant.map { " Did you mean '\($0)'?" } ?? " It is one of \(Self.kinds.joined(separator: ", "))."
            throw .wrongUsage("There is no '\(what)' to dump.\(hint)", next: "bookdb dump --help")
        }
    }

    /// For the beginning of an identifier, where the library can be opened.
    private func hint(_ typed: String) -> CommandFailure? {
        guard let snapshot = try? BookStore(at: library, access: .readOnly).snapshot else { return nil }
        return IdentifierHint.failure(typed, in: snapshot, of: library, "dump \(word: library) record")
    }

    private func wrong(_ sentence: String, example: String) -> CommandFailure {
        let given = which.map { ", not '\($0)'" } ?? ""
        return .wrongUsage("\(sentence)\(given).", next: "bookdb dump \(word: library) \(example)")
    }

    private static func node(_ words: String) -> DumpPart? {
        let parts = words.split(separator: ":", omittingEmptySubsequences: false)
        let numbers = parts.dropFirst().compactMap { Int($0) }.filter { $0 >= 0 }
        guard let tree = parts.first, !tree.isEmpty, numbers.count == parts.count - 1, numbers.count <= 2 else {
            return nil
        }
        return .node(tree: String(tree), level: numbers.count == 2 ? numbers[0] : nil, index: numbers.last)
    }

    /// Where to look when there is no such thing.
    private var nextStep: String {
        switch what {
        case "record": "bookdb ls \(word: library) shows identifiers"
        case "log": "bookdb dump \(word: library) log shows every commit there is"
        default: "bookdb dump \(word: library) header shows what there is"
        }
    }
}
