import BookDB
import Foundation
import TestSupport
import Testing

/// The README's example of an app's own record, compiled and run. A line that is changed there has to be changed here.
private enum Example {
    struct Loan: Record {
        var id: ID<Loan> = .unassigned
        var work: Reference<Work> = .unassigned
        var borrower = ""
        var due: Date?
        enum CodingKeys: Int, CodingKey { case id = 0, work = 1, borrower = 2, due = 3 }
        static let indexes = [Index(\.work), Index(\.due)]
    }

    static func run(_ store: BookStore, _ hobbit: ID<Work>, print: (String) -> Void) async throws -> [Loan] {
        let loan = try await store.insert(Loan(work: hobbit, borrower: "Ann", due: .now))
        try await store.update(loan) { $0.due = nil }
        let loans = store.snapshot.records(Loan.self)
        for loan in try loans.where(\.work, equals: hobbit) { print(loan.borrower) }
        let overdue = try loans.sorted(by: \.due, in: ..<Date.now).page(limit: 50)
        try await store.delete(loans.where(\.due, equals: nil).identifiers())
        return overdue
    }
}

@Suite struct ReadmeRecordsTests {
    @Test func `the README's example of a record compiles, runs and is the README's`() async throws {
        let store = BookStore(.memory)
        let hobbit = try await store.write { library in try library.insert(Work("The Hobbit")) }
        var printed: [String] = []
        #expect(try await Example.run(store, hobbit) { printed.append($0) }.isEmpty)
        #expect(try printed == ["Ann"] && store.snapshot.records(Example.Loan.self).count == 0)

        let readme = String(decoding: try #require(RepositoryFiles.bytes("README.md")), as: UTF8.self)
        let start = try #require(readme.range(of: "struct Loan: Record"))
        let example = readme[start.lowerBound...].prefix { $0 != "`" }
        let path = "Tests/BookDBTests/Records/ReadmeRecordsTests.swift"
        let here = String(decoding: try #require(RepositoryFiles.bytes(path)), as: UTF8.self)
        for line in example.split(separator: "\n") {
            #expect(here.contains(line.trimmingCharacters(in: .whitespaces)), "the README says: \(line)")
        }
    }
}
