/// The files of a store's directory at one moment, by name.
public struct StoreImage: Sendable, Equatable {
    /// The directory every image is looked at in.
    public static let path = "Store"

    public var files: [String: [UInt8]]
    /// Files that are longer than their bytes: a hole follows, of which nothing is stored.
    var byteCounts: [String: Int] = [:]

    public init(files: [String: [UInt8]]) { self.files = files }

    /// The numbers in the names of a kind (`snapshot-`, `log-`), ascending.
    func numbers(of prefix: String) -> [UInt64] {
        files.keys.compactMap { Self.number(of: $0, prefix) }.sorted()
    }

    static func number(of name: String, _ prefix: String) -> UInt64? {
        let digits = name.dropFirst(prefix.count)
        guard name.hasPrefix(prefix), digits.utf8.count == 16 else { return nil }
        return UInt64(digits, radix: 16)
    }

    static func name(_ prefix: String, _ number: UInt64) -> String {
        let digits = String(number, radix: 16)
        return prefix + String(repeating: "0", count: 16 - digits.count) + digits
    }

    /// Whether the files are those of `other` but for bytes of one page of one of them.
    func differsInOnePage(from other: StoreImage) -> Bool {
        let changed = files.keys.filter { files[$0] != other.files[$0] }
        guard files.count == other.files.count, changed.count == 1, let bytes = files[changed[0]],
            let others = other.files[changed[0]], bytes.count == others.count,
            let first = bytes.indices.first(where: { bytes[$0] != others[$0] }),
            let last = bytes.indices.last(where: { bytes[$0] != others[$0] })
        else { return false }
        return first / SnapshotMap.pageByteCount == last / SnapshotMap.pageByteCount
    }

    /// What an opening that was refused may not have touched: everything but the lock.
    var withoutLock: [String: [UInt8]] { files.filter { $0.key != "lock" } }
}
