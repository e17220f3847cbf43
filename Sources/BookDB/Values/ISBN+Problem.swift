extension ISBN {
    /// Why a text is not an ISBN. The description is a sentence without the text, to go after it and a colon.
    public enum Problem: Error, Hashable, Sendable, CustomStringConvertible {
        /// Nothing but blanks and punctuation. Many books have no ISBN, so callers usually let this pass.
        case empty

        /// Neither 9, 10 nor 13 digits.
        case wrongLength(Int)

        /// Something other than a digit, or an X before the last place.
        case invalidCharacter(Character)

        /// The last place does not follow from the others.
        case checkDigit(expected: Character)

        /// `9.78031E+12`: a spreadsheet has thrown the last digits away; they cannot be computed back.
        case roundedBySpreadsheet

        /// Thirteen digits of something else: an ISMN (9790…, printed music) or a shop's own article number.
        case notABook

        public var description: String {
            switch self {
            case .empty: "there is no ISBN"
            case .wrongLength(1): "an ISBN has 10 or 13 digits, this has 1"
            case .wrongLength(let count): "an ISBN has 10 or 13 digits, this has \(count)"
            case .invalidCharacter("X"), .invalidCharacter("x"): "an X may only be the last of 10 places"
            case .invalidCharacter(let character): "“\(character)” does not belong in an ISBN"
            case .checkDigit(let expected): "the check digit should be \(expected)"
            case .roundedBySpreadsheet: "a spreadsheet has rounded this ISBN"
            case .notABook: "a book's number begins with 978 or 979, and 9790 is printed music"
            }
        }
    }
}
