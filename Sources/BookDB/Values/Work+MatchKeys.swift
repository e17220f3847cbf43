import Filing
import RecordStore

extension Work {
    /// One key for each author, so that a source that names only the second one still finds the work.
    func matchKeys(authors: [Author]) -> [MatchKey] {
        authors.isEmpty
            ? [MatchKey(title: title, author: "")]
            // Two authors of one name have one key.
            : authors.map { MatchKey(title: title, author: $0.name) }.withoutRepetitions()
    }
}
