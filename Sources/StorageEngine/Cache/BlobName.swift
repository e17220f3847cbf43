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

    /// Whether a file of this name is a blob that is being written, or was when its process ended.
    static func isTemporary(_ fileName: String) -> Bool {
        let parts = fileName.dropLast(temporarySuffix.count).split(separator: "-")
        return fileName.hasSuffix(temporarySuffix) && parts.count == 3
            && parts.allSatisfy { $0.allSatisfy(\.isHexDigit) }
    }
}
