import StorageEngine

/// The keys between two bounds of a tree, told in names where another tree knows them.
///
/// Bounds are what a branch says, so they may be cut: a bound is not a key, and no key lies between it and the next one.
package struct KeyStretch {
    package let tree: TreeNumber
    /// `nil` for the tree's start.
    package let low: [UInt8]?
    /// Behind the last key; `nil` for the tree's end.
    package let high: [UInt8]?

    package func contains(_ key: [UInt8]) -> Bool {
        !(low.map { key.lexicographicallyPrecedes($0) } ?? false)
            && (high.map { key.lexicographicallyPrecedes($0) } ?? true)
    }

    /// A bound as far as it goes, with zeros behind it: what it is compared with as a number.
    package static func firstNumber(_ bound: [UInt8]) -> UInt64 {
        (bound.prefix(8) + [UInt8](repeating: 0, count: max(0, 8 - bound.count))).reduce(0) { $0 << 8 | UInt64($1) }
    }

    /// What a bound begins with that people can read.
    package static func text(_ bound: [UInt8]) -> String? {
        let text = bound.prefix { $0 != LibraryKey.separator && $0 != 0x1F && $0 != 0xFF }
        return text.isEmpty ? nil : "“\(String(decoding: text, as: UTF8.self))”"
    }
}
