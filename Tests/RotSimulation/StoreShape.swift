import StorageEngine

/// A sound store to be mutated, and everything that is known of it.
public struct StoreShape: Sendable {
    public let name: String
    public let image: StoreImage
    let trees: [TreeDeclaration]
    /// By commit number.
    let contents: [Int: StoreContents]
    /// The newest commit that was acknowledged as flushed.
    let durableCommit: Int
    /// The same store at earlier moments.
    let elders: [StoreImage]
    /// A store of the same history and another identifier.
    let twin: StoreImage
    /// A copy of the store that went its own way: of the same identifier and of commits in the same number, which put other values.
    let sibling: StoreImage
    /// By file name; of all files of that kind in the image.
    let snapshots: [String: SnapshotMap]

    /// Every entry that the store held after any commit.
    let history: Set<Put>

    struct Put: Hashable, Sendable {
        let tree: UInt32
        let key: [UInt8]
        let value: [UInt8]
    }

    typealias Recipe = @Sendable (inout StoreBuilder) async throws -> StoreImage

    /// Follows the recipe three times, for the store, its twin and its sibling.
    static func make(
        _ name: String, _ trees: [TreeDeclaration], identifier: [UInt8] = Array("the store itself".utf8),
        _ recipe: Recipe
    ) async throws -> StoreShape {
        var builder = try StoreBuilder(trees, identifier: identifier)
        let image = try await recipe(&builder)
        var other = try StoreBuilder(trees, identifier: Array("some other store".utf8))
        let twin = try await recipe(&other)
        var copy = try StoreBuilder(trees, identifier: identifier, suffix: [0x21])
        let sibling = try await recipe(&copy)
        var snapshots: [String: SnapshotMap] = [:]
        for (file, bytes) in image.files where StoreImage.number(of: file, "snapshot-") != nil {
            snapshots[file] = SnapshotMap(bytes)
        }
        return StoreShape(
            name: name, image: image, trees: trees, contents: builder.contents, durableCommit: builder.durableCommit,
            elders: builder.elders, twin: twin, sibling: sibling, snapshots: snapshots)
    }

    init(
        name: String, image: StoreImage, trees: [TreeDeclaration], contents: [Int: StoreContents], durableCommit: Int,
        elders: [StoreImage], twin: StoreImage, sibling: StoreImage, snapshots: [String: SnapshotMap]
    ) {
        self.name = name
        self.image = image
        self.trees = trees
        self.contents = contents
        self.durableCommit = durableCommit
        self.elders = elders
        self.twin = twin
        self.sibling = sibling
        self.snapshots = snapshots
        var history: Set<Put> = []
        for tree in contents.values.flatMap(\.trees) {
            for item in tree.items {
                history.insert(Put(tree: tree.declaration.number.rawValue, key: item.key, value: item.value))
            }
        }
        self.history = history
    }

    /// Whether the store was closed and not written to since.
    public var isClosed: Bool {
        guard let newest = image.numbers(of: "log-").last,
            let log = LogReading(image.files[StoreImage.name("log-", newest)]!)
        else { return false }
        return log.frames.last?.isWatermarkOnly == true && log.lastStray == nil
    }

    var snapshotNames: [String] { image.numbers(of: "snapshot-").map { StoreImage.name("snapshot-", $0) } }
}
