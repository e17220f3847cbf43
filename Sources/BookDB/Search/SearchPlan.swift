import StorageEngine

/// Which rows of the search file can match, from the lists of the rows in which its words occur.
///
/// For each word typed there are words in the file that have it, begin with it, or are near it. The rows that have one of them
/// for each word typed are those that match; what remains to do is to take them in order. The words with the shortest lists go
/// first. Where reading the lists of a word takes longer than comparing the lines of the rows that are left, they are not read,
/// and the lines are compared. Long lists are not read at first: the matches wanted may be among the first lines.
final class SearchPlan {
    private let file: SearchFile
    private let query: SearchQuery
    private let effort: SearchEffort

    struct Candidates {
        let rows: NumberSet
        /// Whether all of them match.
        let areCertain: Bool
    }

    init(_ file: SearchFile, _ query: SearchQuery, _ effort: SearchEffort) {
        self.file = file
        self.query = query
        self.effort = effort
    }

    /// For each word typed, the words that have it, and those that begin with it; `nil` when the words cannot be read.
    private lazy var typed: (anywhere: [SearchFile.Words], atBeginning: [SearchFile.Words])? = {
        var anywhere: [SearchFile.Words] = []
        var atBeginning: [SearchFile.Words] = []
        for word in query.words {
            guard let words = file.words(with: word) else { return nil }
            anywhere.append(words.anywhere)
            atBeginning.append(words.atBeginning)
        }
        return (anywhere, atBeginning)
    }()

    /// By the number of edits; there is no word nearer than typed.
    private lazy var near: [[SearchFile.Words]?] = typed.map { [$0.anywhere] } ?? [nil]

    /// For each word typed, those that may be near it.
    private lazy var reachable: [[UInt32]?] = query.patterns.map {
        $0.allowed > 0 ? file.words(reachableFrom: $0) : []
    }

    /// For each word typed, the words that have it or are within so many edits of it.
    private func words(edits: Int) -> [SearchFile.Words]? {
        while near.count <= edits {
            let limit = near.count
            var words: [SearchFile.Words]? = typed?.anywhere
            for (index, pattern) in query.patterns.enumerated() where pattern.allowed > 0 {
                guard let known = words else { break }
                let edits = min(limit, pattern.allowed)
                if let among = reachable[index],
                    let found = file.words(near: pattern, edits: edits, among: among)
                {
                    words?[index] = known[index] + found
                } else {
                    words = nil
                }
            }
            near.append(words)
        }
        return near[edits]
    }

    /// The rows that can match so; `nil` when the file's lists cannot be read.
    ///
    /// - Parameter isThorough: whether long lists are read, too.
    func candidates(_ kind: MatchKind, isThorough: Bool) -> Candidates? {
        switch kind {
        // The lines have to tell which words they begin.
        case .typed:
            typed.flatMap { intersection($0.anywhere, isThorough) }.map { Candidates(rows: $0.rows, areCertain: false) }
        // Asked of few positions: lists of the whole library would cost more.
        case .titleBeginning: nil
        case .wordBeginnings: difference(typed?.atBeginning, [], isThorough)
        case .inside: difference(typed?.anywhere, typed?.atBeginning, isThorough)
        case .edits(let edits): difference(words(edits: edits), words(edits: edits - 1), isThorough)
        }
    }

    /// The rows with one of the words for each word typed, but for those that have one of the others for each.
    private func difference(
        _ words: [SearchFile.Words]?, _ others: [SearchFile.Words]?, _ isThorough: Bool
    ) -> Candidates? {
        guard let words, let others, let all = intersection(words, isThorough) else { return nil }
        guard all.areCertain, !others.isEmpty, !all.rows.words.isEmpty else {
            return Candidates(rows: all.rows, areCertain: all.areCertain)
        }
        guard others.reduce(0, { $0 + $1.byteCount }) <= limit(all.rows.roughCount, isThorough),
            let left = intersection(others, isThorough), left.areCertain
        else { return Candidates(rows: all.rows, areCertain: false) }
        guard !left.rows.words.isEmpty else { return Candidates(rows: all.rows, areCertain: true) }
        var rows = all.rows
        rows.subtract(left.rows)
        return Candidates(rows: rows, areCertain: true)
    }

    private func intersection(
        _ words: [SearchFile.Words], _ isThorough: Bool
    ) -> (rows: NumberSet, areCertain: Bool)? {
        guard words.allSatisfy({ !$0.numbers.isEmpty }) else { return (.none, true) }
        var all: NumberSet?
        for words in words.sorted(by: { $0.byteCount < $1.byteCount }) {
            if let all {
                let count = all.roughCount
                if count == 0 { break }
                guard words.byteCount <= limit(count, isThorough) else { return (all, false) }
            }
            guard var rows = file.rows(with: words) else { return nil }
            if let all { rows.formIntersection(all) }
            all = rows
        }
        return all.map { ($0, true) }
    }

    /// Of lists beside so many rows more bytes are not read.
    private func limit(_ rowCount: Int, _ isThorough: Bool) -> Int {
        isThorough ? max(rowCount * effort.lineCost, effort.listByteCount) : effort.listByteCount
    }
}
