/// Gathers the problems of one check: counts all of them and keeps the first few.
package struct CheckBuilder {
    let name: String
    package var detail = ""
    private(set) var problemCount = 0
    private var uncheckedCount = 0
    private var items: [String] = []

    /// How many problems are kept in words.
    package static let keptItems = 10

    package init(_ name: String) {
        self.name = name
    }

    package mutating func report(_ problem: @autoclosure () -> String) {
        problemCount += 1
        if items.count < Self.keptItems { items.append(problem()) }
    }

    /// Something could not be looked at, because of damage that is told beside it or elsewhere.
    package mutating func skip(_ count: Int = 1) { uncheckedCount += count }

    package var check: LibraryVerification.Check {
        LibraryVerification.Check(
            name: name, detail: detail, problemCount: problemCount, items: items, uncheckedCount: uncheckedCount)
    }
}
