extension ISBN {
    /// What remains of a written ISBN when everything forgivable is gone: up to 13 places, each 0…9 or X.
    ///
    /// The places sit four bits each in one integer, so that parsing a million ISBNs allocates nothing.
    struct Symbols {
        /// The value of a place that holds X.
        static let x: UInt64 = 10

        /// How many places the text has; those past the sixteenth are counted and forgotten.
        private(set) var count = 0
        private var places: UInt64 = 0

        init(reading text: some StringProtocol) throws(Problem) {
            var scalars = Substring(text).unicodeScalars
            Self.dropPrefix(from: &scalars)
            while let scalar = scalars.popFirst() {
                if let place = Self.place(of: scalar) {
                    append(place)
                } else if scalar == ".", Self.areZeros(scalars) {
                    break  // `9781250313195.0`: a number to a spreadsheet
                } else if Self.isExponent(scalar, before: scalars), count > 0 {
                    throw .roundedBySpreadsheet
                } else if scalar == "." || scalar == ",", Self.isRounded(scalars) {
                    throw .roundedBySpreadsheet
                } else if !Self.isForgiven(scalar) {
                    throw .invalidCharacter(Character(scalar))
                }
            }
        }

        /// The last place. There is one: callers ask only when `count` is 10 or 13.
        var last: UInt64 {
            places & 15
        }

        /// The same places behind another one.
        func prefixed(with place: UInt64) -> Symbols {
            var result = self
            result.places |= place << (4 * UInt64(count))
            result.count += 1
            return result
        }

        /// The number written in all places but the last.
        func number(ofFirst length: Int) throws(Problem) -> UInt64 {
            var number: UInt64 = 0
            for index in 0..<length {
                let place = places >> (4 * UInt64(count - 1 - index)) & 15
                guard place < 10 else { throw .invalidCharacter("X") }
                number = number * 10 + place
            }
            return number
        }

        private mutating func append(_ place: UInt64) {
            places = places << 4 | place
            count += 1
        }
    }
}

extension ISBN.Symbols {
    private static func place(of scalar: Unicode.Scalar) -> UInt64? {
        switch scalar {
        case "0"..."9": UInt64(scalar.value - 0x30)
        case "０"..."９": UInt64(scalar.value - 0xFF10)  // full width, from East Asian keyboards
        case "X", "x", "Ｘ", "\u{425}", "\u{445}": x  // and the Cyrillic letter that looks like it
        default: nil
        }
    }

    /// Blanks, every dash, quotes, brackets, the spreadsheet's `=` and the marks that copying from a web page brings.
    private static func isForgiven(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar {
        case " ", "\t", "\n", "\r", "-", "=", "\"", "'", "[", "]", "(", ")", ":", ",", ";", "_": true
        case "“", "”", "„", "‘", "’": true
        default:
            !scalar.isASCII
                && (scalar.properties.isDash || scalar.properties.isWhitespace
                    || scalar.properties.generalCategory == .format)
        }
    }

    /// Drops `ISBN`, `urn:isbn:`, `ISBN-13:` and what is forgiven before them.
    private static func dropPrefix(from scalars: inout Substring.UnicodeScalarView) {
        scalars = scalars.drop(while: isForgiven)
        drop("urn:", from: &scalars)
        guard drop("isbn", from: &scalars) else { return }
        for length in ["13", "10"] {
            var rest = scalars
            let isAttached = rest.first != " "
            if rest.first == "-" || rest.first == " " { rest.removeFirst() }
            guard drop(length, from: &rest), let next = rest.first else { continue }
            // `ISBN-10 0306406152` and `ISBN 10: …` name the length; `ISBN 10…` may begin the number itself
            if next == ":" || (isAttached && next == " ") { scalars = rest }
        }
    }

    @discardableResult
    private static func drop(_ word: String, from scalars: inout Substring.UnicodeScalarView) -> Bool {
        var rest = scalars
        for expected in word.unicodeScalars {
            guard let scalar = rest.popFirst() else { return false }
            let isCapital = "A"..."Z" ~= scalar
            guard scalar.value + (isCapital ? 0x20 : 0) == expected.value else { return false }
        }
        scalars = rest
        return true
    }

    /// True for the rest of `….0`, `….00"`.
    private static func areZeros(_ scalars: Substring.UnicodeScalarView) -> Bool {
        scalars.first == "0" && scalars.allSatisfy { $0 == "0" || isForgiven($0) }
    }

    /// True for the rest of `9.78031E+12`.
    private static func isRounded(_ scalars: Substring.UnicodeScalarView) -> Bool {
        guard let index = scalars.firstIndex(where: { !("0"..."9" ~= $0) }) else { return false }
        return isExponent(scalars[index], before: scalars[scalars.index(after: index)...])
    }

    private static func isExponent(_ scalar: Unicode.Scalar, before rest: Substring.UnicodeScalarView) -> Bool {
        guard scalar == "E" || scalar == "e", let next = rest.first else { return false }
        return next == "+" || "0"..."9" ~= next
    }
}
