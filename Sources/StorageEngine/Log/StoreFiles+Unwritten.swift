extension StoreFiles {
    /// Whether a segment is there and nothing was ever written to it, nor room made for that. Whoever writes to one was sure of the names
    /// that lead to it.
    func isUnwritten(_ sequence: UInt64, _ fileSystem: any FileSystem) throws(StorageError) -> Bool {
        guard try fileSystem.kind(of: log(sequence)) == .file else { return false }
        let log = try fileSystem.openFile(log(sequence), .reading)
        defer { log.close() }
        return try log.byteCount() == LogSegmentFormat.headerByteCount
    }
}
