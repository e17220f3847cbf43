/// The long texts, kept apart from the records so that lists and look-ups do not carry them.
///
/// The raw value is the last byte of a text's key. A bit in the record says whether the text exists, so a work without
/// texts costs no look-up.
enum TextKind: UInt8, CaseIterable, Sendable {
    case description = 1
    case notes = 2
    case review = 3

    /// The bit in the field `texts` of the record the text belongs to.
    var flag: UInt64 { 1 << UInt64(rawValue - 1) }

    /// As in "the review of The Hobbit".
    var name: String {
        switch self {
        case .description: "description"
        case .notes: "notes"
        case .review: "review"
        }
    }
}
