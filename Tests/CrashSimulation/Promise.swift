/// What a store may hold after a crash, as told by what it has promised up to then.
///
/// A commit is possible from the moment it is submitted until a later one (or the state that a recovery has shown) is
/// acknowledged as durable; then everything older is impossible.
package struct Promise: Hashable, Sendable {
    package typealias Contents = [String: [UInt8]]

    private struct Possibility: Hashable {
        let commit: UInt64
        let contents: Contents
        /// Operations of the disk before which it cannot be there.
        let from: Int
        /// Operations of the disk from which on it must not be there any more.
        var until: Int?
    }

    private var possibilities: [Possibility] = []

    package init() {}

    /// The store that nobody has created yet, or an empty one.
    package static var nothing: Promise {
        var promise = Promise()
        promise.submit(0, [:], at: 0)
        return promise
    }

    package mutating func submit(_ commit: UInt64, _ contents: Contents, at operationCount: Int) {
        possibilities.append(Possibility(commit: commit, contents: contents, from: operationCount))
    }

    /// The commit is durable, and so it is all that can be there, with what is submitted behind it.
    package mutating func acknowledge(_ commit: UInt64, _ contents: Contents, at operationCount: Int) {
        for index in possibilities.indices where possibilities[index].until == nil {
            let isIt = possibilities[index].commit == commit && possibilities[index].contents == contents
            if !isIt { possibilities[index].until = operationCount }
        }
        if !possibilities.contains(where: { $0.until == nil }) { submit(commit, contents, at: operationCount) }
    }

    /// The same, but what was submitted behind the commit and refused may still be there: nobody knows.
    package mutating func acknowledgeBefore(_ commit: UInt64, at operationCount: Int) {
        for index in possibilities.indices
        where possibilities[index].until == nil && possibilities[index].commit < commit {
            possibilities[index].until = operationCount
        }
    }

    /// The commit was refused, and the error says that nothing of it was kept.
    package mutating func withdraw(_ commit: UInt64, _ contents: Contents, at operationCount: Int) {
        for index in possibilities.indices.reversed()
        where possibilities[index].until == nil && possibilities[index].commit == commit
            && possibilities[index].contents == contents
        {
            possibilities[index].until = operationCount
            return
        }
    }

    /// What can be there after a crash (of the machine, or of the process alone) behind `operationCount` operations, as the promise that holds from then on.
    package func kept(at operationCount: Int) -> Promise {
        var promise = Promise()
        for possibility in possibilities
        where possibility.from <= operationCount && operationCount < possibility.until ?? .max {
            promise.submit(possibility.commit, possibility.contents, at: 0)
        }
        return promise
    }

    /// What is wrong with a store that holds this after a crash; `nil` when nothing is.
    package func objection(to commit: UInt64, _ contents: Contents) -> String? {
        if possibilities.contains(where: { $0.commit == commit && $0.contents == contents }) { return nil }
        let numbers = Set(possibilities.map(\.commit)).sorted()
        let holds =
            numbers.contains(commit) ? "holds something else than that commit made" : "may end with \(numbers) only"
        return "the store says that it ends with commit \(commit), and \(holds)"
    }

    /// Whether any moment could show this.
    func knows(_ commit: UInt64, _ contents: Contents) -> Bool {
        possibilities.contains { $0.commit == commit && $0.contents == contents }
    }

    /// The commits that can be there, counted from `commit`.
    package func offsets(from commit: UInt64) -> [Int] { possibilities.map { commit.distance(to: $0.commit) }.sorted() }

    /// Whether a store that holds nothing, or is not there at all, keeps the promise.
    package var allowsNothing: Bool { possibilities.contains { $0.commit == 0 && $0.contents.isEmpty } }
}
