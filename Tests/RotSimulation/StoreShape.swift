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
    /// By file name; of all files of that kind in the image.
    let snapshots: [String: SnapshotMap]

    typealias Recipe = @Sendable (inout StoreBuilder) async throws -> StoreImage

    /// Follows the recipe twice, for the store and its twin.
    static func make(
        _ name: String, _ trees: [TreeDeclaration], identifier: [UInt8] = Array("the store itself".utf8),
        _ recipe: Recipe
    ) async throws -> StoreShape {
        var builder = try StoreBuilder(trees, identifier: identifier)
        let image = try await recipe(&builder)
        var other = try StoreBuilder(trees, identifier: Array("some other store".utf8))
        let twin = try await recipe(&other)
        var snapshots: [String: SnapshotMap] = [:]
        for (file, bytes) in image.files where StoreImage.number(of: file, "snapshot-") != nil {
            snapshots[file] = SnapshotMap(bytes)
        }
        return StoreShape(
            name: name, image: image, trees: trees, contents: builder.contents, durableCommit: builder.durableCommit,
            elders: builder.elders, twin: twin, snapshots: snapshots)
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
