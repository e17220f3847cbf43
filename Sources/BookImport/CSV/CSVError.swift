/// The input is not comma-separated text. The description says what it is and what to do.
public struct CSVError: Error, Hashable, Sendable, CustomStringConvertible {
    /// What the input looks like, as the end of a sentence: `it is a ZIP archive or a workbook`.
    public let reason: String

    /// What to do now, as a sentence.
    public let nextStep: String

    public var description: String {
        "not a CSV: \(reason)\n→ \(nextStep)"
    }
}
