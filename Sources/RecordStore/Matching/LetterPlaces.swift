/// Where each letter stands in a word or title that was typed: a bit for each place.
package struct LetterPlaces<Places: FixedWidthInteger & UnsignedInteger & Sendable>: Sendable {
    private var plain = [Places](repeating: 0, count: 128)
    /// Those above ASCII.
    private var others: [(letter: UInt32, places: Places)] = []

    /// - Parameter firstBit: the bit of the first letter; the others follow.
    package init(_ letters: some Collection<UInt32>, firstBit: Int = 0) {
        for (index, letter) in letters.enumerated() {
            let bit: Places = 1 << Places(firstBit + index)
            if letter < 128 {
                plain[Int(letter)] |= bit
            } else if let known = others.firstIndex(where: { $0.letter == letter }) {
                others[known].places |= bit
            } else {
                others.append((letter, bit))
            }
        }
    }

    @inline(__always)
    package subscript(letter: UInt32) -> Places {
        letter < 128 ? plain[Int(letter)] : others.first { $0.letter == letter }?.places ?? 0
    }
}
