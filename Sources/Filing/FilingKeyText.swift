/// A filing key as people read it: the text that, filed as it is, makes the same key again.
///
/// For messages, golden files, and a repair that has nothing else left of a title.
package enum FilingKeyText {
    package static func text(of key: [UInt8], tailoring: FilingTailoring) -> String {
        if key.first == TitleKey.punctuationLead { return String(decoding: key.dropFirst(), as: UTF8.self) }
        var scalars = String.UnicodeScalarView()
        var rest = key[...]
        var last: UInt32 = 0
        while let byte = rest.first {
            switch byte {
            case UInt8(ascii: "B")...UInt8(ascii: "Y"): rest.removeFirst()
            case FilingNumber.longLead: addLongNumber(&rest, &scalars)
            case FilingTailoring.firstByteBehindZ...FilingTailoring.firstByteBehindZ + 2:
                let letters = tailoring.lettersBehindZ
                let index = Int(byte - FilingTailoring.firstByteBehindZ)
                scalars.append(index < letters.count ? letters[index] : Unicode.Scalar(byte))
                rest.removeFirst()
            case ..<0x80:
                let isMoved = rest.dropFirst().first == FilingTailoring.nextLetter
                scalars.append(isMoved ? "ñ" : Unicode.Scalar(byte))
                rest.removeFirst(isMoved ? 2 : 1)
            default: last = addLetter(&rest, &scalars, behind: last)
            }
        }
        return String(scalars)
    }

    /// - Parameter last: the letter before, as the key has it.
    /// - Returns: the letter.
    private static func addLetter(
        _ rest: inout ArraySlice<UInt8>, _ scalars: inout String.UnicodeScalarView, behind last: UInt32
    ) -> UInt32 {
        guard let letter = FilingAlphabet.firstLetter(of: rest) else {
            scalars.append("\u{FFFD}")
            rest.removeFirst()
            return 0
        }
        rest.removeFirst(letter.count)
        if FilingAlphabet.isWrittenBeforeConsonant(letter.scalar.value), FilingAlphabet.isThaiOrLaoConsonant(last),
            let consonant = scalars.last, consonant.value == last
        {
            scalars.removeLast()
            scalars.append(letter.scalar)
            scalars.append(consonant)
        } else {
            scalars.append(letter.scalar)
        }
        return letter.scalar.value
    }

    /// The digits that the key left out are zeros here.
    private static func addLongNumber(_ rest: inout ArraySlice<UInt8>, _ scalars: inout String.UnicodeScalarView) {
        rest.removeFirst()
        let isDigit: (UInt8) -> Bool = { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
        let count = rest.prefix(3).prefix(while: isDigit).reduce(0) { $0 * 10 + Int($1 - UInt8(ascii: "0")) }
        let digits = rest.dropFirst(3).prefix(FilingNumber.keptDigitCount).prefix(while: isDigit)
        rest = rest.dropFirst(3 + digits.count)
        for digit in digits { scalars.append(Unicode.Scalar(digit)) }
        for _ in 0..<max(0, count - digits.count) { scalars.append("0") }
    }
}
