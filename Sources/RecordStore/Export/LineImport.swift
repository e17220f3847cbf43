/// What an import of lines has done.
public struct LineImport: Equatable, Sendable {
    /// Read so far, empty ones too.
    public internal(set) var lineCount = 0

    /// What was new in the library: records, and kinds.
    public private(set) var inserted = 0

    /// What the library had, as it is.
    public private(set) var known = 0

    /// The first line that was new; `nil` where none was. An import that goes on where another was broken off begins there.
    public private(set) var firstNewLine: Int?

    /// Why lines were refused, the first thousand of them, by line when the import is done.
    public private(set) var refusals: [Refusal] = []

    public private(set) var refused = 0

    public struct Refusal: Equatable, Sendable {
        /// From 1 on.
        public let line: Int
        public let reason: String
    }

    private static let maximumRefusalCount = 1000

    mutating func refuse(_ line: Int, _ reason: String) {
        refused += 1
        if refusals.count < Self.maximumRefusalCount { refusals.append(Refusal(line: line, reason: reason)) }
    }

    /// By line: what waited for what it names is refused last.
    mutating func sortRefusals() { refusals.sort { $0.line < $1.line } }

    mutating func note(_ line: Int, _ outcome: Result<TakenLine, LibraryError>) {
        switch outcome {
        case .success(.inserted):
            inserted += 1
            firstNewLine = min(firstNewLine ?? line, line)
        case .success(.known): known += 1
        case .success(.waits(_, let words)): refuse(line, words)
        case .failure(let error): refuse(line, error.sentence)
        }
    }
}
