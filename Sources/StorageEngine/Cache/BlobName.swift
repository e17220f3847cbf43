/// The name of a blob's file: a hash of its key. Two keys may have the same; then the one that was written last has the file.
package struct BlobName: Sendable, Hashable {
    package let hash: UInt64

    package init(hash: UInt64) { self.hash = hash }

    package init(key: [UInt8]) { hash = key.withBytes { EntryHash.hash($0) } }

    static let suffix = ".blob"
    static let temporarySuffix = ".tmp"

    var fileName: String { hash.hexadecimal + Self.suffix }

    /// `nil` for a name that no blob's file has.
    init?(fileName: String) {
        guard fileName.hasSuffix(Self.suffix) else { return nil }
        let digits = fileName.dropLast(Self.suffix.count)
        guard let hash = UInt64(digits, radix: 16), hash.hexadecimal == digits else { return nil }
        self.hash = hash
    }

    /// The name of a file in which a blob is written, before it has its own.
    static func temporary(for name: BlobName, of token: UInt64, _ number: UInt64) -> String {
        [name.hash, token, number].map(\.hexadecimal).joined(separator: "-") + temporarySuffix
    }

    /// Who writes a blob into a file of this name, or did when its process ended; `nil` for a name of another form.
    static func temporaryToken(_ fileName: String) -> UInt64? {
        let parts = fileName.dropLast(temporarySuffix.count).split(separator: "-")
        let numbers = parts.compactMap { UInt64($0, radix: 16) }
        guard numbers.count == 3,
            temporary(for: BlobName(hash: numbers[0]), of: numbers[1], numbers[2]) == fileName
        else { return nil }
        return numbers[1]
    }
}
