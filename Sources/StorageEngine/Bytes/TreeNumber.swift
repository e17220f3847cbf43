/// Which tree of a store: 1...16,777,215. The number is what files hold; a name is for people.
public struct TreeNumber: RawRepresentable, Hashable, Comparable, Sendable {
    public let rawValue: UInt32

    public init(rawValue: UInt32) { self.rawValue = rawValue }
    public init(_ number: UInt32) { rawValue = number }

    static let all: ClosedRange<UInt32> = 1...0xFF_FFFF

    public static func < (left: TreeNumber, right: TreeNumber) -> Bool { left.rawValue < right.rawValue }
}

extension StorageError {
    static func undeclared(_ tree: TreeNumber) -> StorageError {
        .schemaMismatch("Tree \(tree.rawValue) was not declared. Name it when the store is opened.")
    }
}
