@testable import StorageEngine

/// What trees hold, as a plain dictionary.
struct StoreContents: Equatable {
    struct Value: Equatable {
        var bytes: [UInt8]
        var facets: UInt16
    }

    var trees: [UInt32: [[UInt8]: Value]] = [:]

    init() {}

    /// Reads every entry by its position.
    init(of version: Version) throws {
        for declaration in version.declarations {
            var entries: [[UInt8]: Value] = [:]
            var failure: (any Error)?
            let count = try version.count(in: declaration.number)
            try version.forEachEntry(in: declaration.number, positions: 0..<count) { entry in
                do {
                    let bytes = try entry.withValue { $0.copyBytes(0..<$0.byteCount) }
                    entries[try entry.withKey { $0.copyBytes(0..<$0.byteCount) }] = Value(
                        bytes: bytes, facets: entry.facets.rawValue)
                    return true
                } catch {
                    failure = error
                    return false
                }
            }
            if let failure { throw failure }
            trees[declaration.number.rawValue] = entries
        }
    }

    /// As an opening has found it.
    init(of state: WriteState) throws { try self.init(of: state.version()) }

    /// Trees without entries are as good as none.
    static func == (left: StoreContents, right: StoreContents) -> Bool {
        left.trees.filter { !$0.value.isEmpty } == right.trees.filter { !$0.value.isEmpty }
    }

    /// In few words, for a finding.
    var summary: String {
        trees.sorted { $0.key < $1.key }.map { "tree \($0.key): \($0.value.count) entries" }.joined(separator: ", ")
    }
}
