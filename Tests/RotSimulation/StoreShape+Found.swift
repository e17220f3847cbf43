import StorageEngine
import TestSupport

extension StoreShapes {
    /// The golden stores, as their files are.
    public static func goldenFiles() throws -> [StoreShape] {
        let folder = RepositoryFiles.root + "/Formats/golden"
        let fileSystem = PosixFileSystem()
        return try fileSystem.names(inDirectory: folder).sorted().map { name in
            var files: [String: [UInt8]] = [:]
            for file in try fileSystem.names(inDirectory: folder + "/" + name) where !file.hasSuffix(".txt") {
                files[file] = RepositoryFiles.bytes("Formats/golden/\(name)/\(file)")
            }
            return try StoreShape(found: "golden, " + name, StoreImage(files: files))
        }
    }
}

extension StoreShape {
    /// A store that is there, such as a golden one, sound and closed. What it held after each commit is what it holds with its
    /// log cut behind that commit: trusted, because the store's own tests say what is in it.
    public init(found name: String, _ image: StoreImage) throws {
        let logs = image.numbers(of: "log-").map { StoreImage.name("log-", $0) }
        var contents: [Int: StoreContents] = [:]
        for (index, log) in logs.enumerated() {
            var cut = image
            for later in logs[(index + 1)...] { cut.files[later] = nil }
            let bytes = image.files[log]!
            for end in [LogReading.headerByteCount] + (LogReading(bytes)?.frames.map(\.end) ?? []) {
                cut.files[log] = Array(bytes.prefix(end))
                let (commit, found) = try Self.contents(of: cut)
                contents[commit] = found
            }
        }
        var snapshots: [String: SnapshotMap] = [:]
        for number in image.numbers(of: "snapshot-") {
            let file = StoreImage.name("snapshot-", number)
            snapshots[file] = SnapshotMap(image.files[file]!)
        }
        self.init(
            name: name, image: image, trees: contents.max { $0.key < $1.key }?.value.trees.map(\.declaration) ?? [],
            contents: contents,
            durableCommit: contents.keys.max() ?? 0, elders: [], twin: StoreImage(files: [:]),
            sibling: StoreImage(files: [:]), snapshots: snapshots)
    }

    private static func contents(of image: StoreImage) throws -> (commit: Int, contents: StoreContents) {
        let version = try Database.open(
            at: StoreImage.path, trees: [], options: Options(access: .readOnly), fileSystem: RotDisk(image)
        ).version
        let trees = try version.declarations.map { tree in
            var items: [[UInt8]: StoreContents.Item] = [:]
            try version.forEachEntry(in: tree.number, positions: 0..<version.count(in: tree.number)) {
                (entry) throws(StorageError) in
                let key = try entry.withKey { $0.copyBytes(0..<$0.byteCount) }
                let value = (try? entry.withValue { $0.copyBytes(0..<$0.byteCount) }) ?? []
                items[key] = StoreContents.Item(key: key, value: value, facets: entry.facets.rawValue)
                return true
            }
            return StoreContents.Tree(tree, items)
        }
        return (Int(version.commitNumber), StoreContents(trees: trees))
    }
}
