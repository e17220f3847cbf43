/// What a store asked of the disk, where it changes what a crash can leave behind.
enum DiskOperation {
    case write(file: Int, byteOffset: Int, bytes: [UInt8])
    /// Truncation, or reserved space that reads as zeros.
    case resize(file: Int, byteCount: Int)
    case flush(file: Int)
    case create(name: String, file: Int)
    case rename(name: String, to: String)
    case remove(name: String)
    case flushDirectory
}
