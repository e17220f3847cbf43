import Testing

@testable import BookDBCommand
@testable import RecordStore

/// The command that `verify` names where the files are sound and what they hold contradicts itself.
@Suite struct NextStepTests {
    @Test(arguments: [
        (["list rows"], "bookdb reindex L.bookdb"), (["orders", "counts", "indexes"], "bookdb reindex L.bookdb"),
        (["app orders"], "bookdb reindex L.bookdb"), (["search file", "indexes"], "bookdb reindex L.bookdb"),
        (["search file"], "bookdb compact L.bookdb"),
    ])
    func `what is made from the records is made again`(failed: [String], command: String) {
        #expect(commands(afterFailed: failed) == [command])
    }

    @Test(arguments: [["records", "orders"], ["references"], ["texts"], ["identifiers"], ["app records"], ["opening"]])
    func `what is wrong with the records is for a repair`(failed: [String]) {
        #expect(commands(afterFailed: failed) == ["bookdb repair L.bookdb --output L.repaired.bookdb"])
    }

    private func commands(afterFailed names: [String]) -> [String] {
        let checks = names.map { LibraryVerification.Check(name: $0, detail: "", problemCount: 1, items: []) }
        return NextStep.commands(after: LibraryVerification(checks: checks, damage: []), "L.bookdb")
    }
}
