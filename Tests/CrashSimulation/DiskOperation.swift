/// What a store asked of the disk, where it changes what a crash can leave behind. A file's number stays its own when its
/// name changes.
package enum DiskOperation {
    case write(file: Int, byteOffset: Int, bytes: [UInt8])
    /// Truncation, or reserved space that reads as zeros.
    case resize(file: Int, byteCount: Int)
    case flush(file: Int)
    /// A flush that reported an error. What was pending may have reached the medium or not, and no later flush will bring it
    /// there: the kernel calls the pages clean, and shows them to whoever reads.
    case failedFlush(file: Int)
    case create(name: String, file: Int)
    /// The target's entry leads to the file from then on, whatever became of the file's creation.
    case rename(name: String, file: Int, to: String)
    case remove(name: String)
    case flushDirectory
    /// A flush of the directory that reported an error: as of a file, no later flush brings a new name to the medium. Giving the
    /// name once more does.
    case failedDirectoryFlush
    case createDirectory
    case flushParent
}

extension DiskOperation {
    package var file: Int? {
        switch self {
        case .write(let file, _, _), .resize(let file, _), .flush(let file), .failedFlush(let file): file
        default: nil
        }
    }

    var isOfDirectory: Bool {
        switch self {
        case .create, .rename, .remove: true
        default: false
        }
    }

    /// Whether the operation gives a name.
    var givesName: Bool {
        switch self {
        case .create, .rename: true
        default: false
        }
    }

    var isOfParent: Bool {
        if case .createDirectory = self { true } else { false }
    }

    package var writtenByteCount: Int? {
        if case .write(_, _, let bytes) = self { bytes.count } else { nil }
    }
}

extension DiskOperation: CustomStringConvertible {
    package var description: String {
        switch self {
        case .write(let file, let byteOffset, let bytes): "write \(file) at \(byteOffset), \(bytes.count) bytes"
        case .resize(let file, let byteCount): "resize \(file) to \(byteCount)"
        case .flush(let file): "flush \(file)"
        case .failedFlush(let file): "failed flush \(file)"
        case .create(let name, let file): "create \(name) as \(file)"
        case .rename(let name, let file, let to): "rename \(name), \(file), to \(to)"
        case .remove(let name): "remove \(name)"
        case .flushDirectory: "flush directory"
        case .failedDirectoryFlush: "failed flush of the directory"
        case .createDirectory: "create directory"
        case .flushParent: "flush parent"
        }
    }
}
