/// The part of an A–Z strip that a key belongs to.
struct FilingSection: Equatable {
    /// `M`, or `#` for numbers and punctuation.
    let label: String

    /// The first key behind the section.
    let upperBound: [UInt8]

    /// - Parameter key: of a title or a name, with anything behind it.
    init(key: [UInt8]) {
        guard let first = key.first, first >= UInt8(ascii: "a") else {
            (label, upperBound) = ("#", [UInt8(ascii: "a")])
            return
        }
        let length = first < 0x80 ? 1 : first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4
        let letter = Array(key.prefix(length))
        label = String(decoding: letter, as: UTF8.self).uppercased()
        upperBound = LibraryKey.end(ofPrefix: letter) ?? [0xFF]
    }
}
