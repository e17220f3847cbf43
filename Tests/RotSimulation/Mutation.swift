/// One way in which a disk, a file system or a person can spoil the files of a store.
public struct Mutation: Sendable, CustomStringConvertible {
    enum Change: Sendable {
        case overwrite(file: String, offset: Int, bytes: [UInt8])
        case swap(file: String, Range<Int>, Range<Int>)
        case splice(file: String, Range<Int>, [UInt8])
        case put(file: String, [UInt8])
        case rename(file: String, to: String)
        case delete(file: String)
        /// A hole behind the bytes, which makes the file so long.
        case lengthen(file: String, byteCount: Int)
    }

    /// What was done, for counting: "a bit flipped", "a page zeroed".
    public let kind: String
    /// Where.
    let place: String
    let change: Change

    /// Whether it changes bytes of a log segment.
    public var isOfLog: Bool {
        if case .overwrite(let file, _, _) = change { file.hasPrefix("log-") } else { false }
    }

    public var description: String { "\(kind), \(place)" }

    func applied(to image: StoreImage) -> StoreImage {
        var files = image.files
        var byteCounts = image.byteCounts
        switch change {
        case .overwrite(let file, let offset, let bytes):
            let end = min(offset + bytes.count, files[file]?.count ?? 0)
            files[file]?.replaceSubrange(offset..<end, with: bytes.prefix(end - offset))
        case .swap(let file, let first, let second):
            guard let bytes = files[file] else { break }
            let (low, high) = first.lowerBound < second.lowerBound ? (first, second) : (second, first)
            let swapped = bytes[high] + bytes[low.upperBound..<high.lowerBound] + bytes[low]
            files[file]?.replaceSubrange(low.lowerBound..<high.upperBound, with: swapped)
        case .splice(let file, let range, let bytes): files[file]?.replaceSubrange(range, with: bytes)
        case .put(let file, let bytes): files[file] = bytes
        case .rename(let file, let target): files[target] = files.removeValue(forKey: file)
        case .delete(let file): files[file] = nil
        case .lengthen(let file, let byteCount): byteCounts[file] = byteCount
        }
        var mutated = StoreImage(files: files)
        mutated.byteCounts = byteCounts
        return mutated
    }
}
