/// What later versions have added to a file, a bit for each: so that this version knows, without knowing what it is, whether it may go on.
///
/// The format gives each bit a meaning once and for ever. This version knows none: `Formats/README.md` says what follows from that.
struct FormatFeatures: Equatable, Sendable {
    /// A reader that does not know these loses nothing by it.
    var compatible: UInt32 = 0
    /// One that does not know these reads the store rightly, and must not write to it.
    var readOnly: UInt32 = 0
    /// One that does not know these cannot read.
    var incompatible: UInt32 = 0

    /// There are none, so that every reserved byte is zero.
    var isEmpty: Bool { compatible | readOnly | incompatible == 0 }

    /// - Throws: `.unknownFeatures` when the file at `path` cannot be read without knowing more.
    func requireReadable(_ path: String) throws(StorageError) {
        guard incompatible == 0 else {
            throw .unknownFeatures(path: path, bits: incompatible, canBeRead: false)
        }
    }

    /// - Throws: `.unknownFeatures` when nothing may be written behind the file at `path`.
    func requireWritable(_ path: String) throws(StorageError) {
        try requireReadable(path)
        guard readOnly == 0 else { throw .unknownFeatures(path: path, bits: readOnly, canBeRead: true) }
    }
}
