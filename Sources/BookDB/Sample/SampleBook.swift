/// One invented work with all that belongs to it, not yet in a library.
///
/// Authors are numbers in the order of their first appearance: `newAuthors` are those this book brings, and
/// `authors` are the numbers of all who wrote it, of whom others may be known from earlier books.
struct SampleBook: Sendable {
    var newAuthors: [Author]
    var authors: [Int]
    var work: Work
    /// Their `work` is to be set when it is known.
    var editions: [Edition]
    /// Its `work` is to be set when it is known.
    var entry: UserLibraryEntry?
}
