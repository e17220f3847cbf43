extension Database {
    /// The files of blobs that are cached beside the store: not part of it, and made when the first is written.
    package func cacheFiles() -> BlobFiles {
        BlobFiles(
            directory: files.cache, fileSystem: fileSystem,
            // An app may keep the cache longer than the store, which it does not hold open: both are as they were last then.
            store: lasting(nil) { [weak publication] in
                guard let version = publication?.version else { return nil }
                return .some(version.isLoaded ? version.generation.file.superblock.store.bytes : nil)
            },
            isReadOnly: lasting(true) { [weak openingState, writes = options.access.writes] in
                openingState?.keepsBlobs(writes: writes)
            })
    }
}

extension OpeningState {
    /// Whether blobs are neither written nor removed. They need no lock: while a store is being opened to be written to, one that is to go goes, and
    /// one is written as soon as it is known which store it is.
    ///
    /// - Parameter writes: whether the store is to be written to.
    fileprivate func keepsBlobs(writes: Bool) -> Bool {
        switch phase {
        case .underWay: !writes
        case .ended(let writer, _): writer == nil
        case .failed: true
        }
    }
}

/// - Parameter current: `nil` when there is none any more.
/// - Returns: what gives the current value, or the last that it gave.
private func lasting<Value: Sendable>(
    _ first: Value, _ current: @escaping @Sendable () -> Value?
) -> @Sendable () -> Value {
    let last = Lock(first)
    return {
        let value = current()
        return last.withLock { last in
            if let value { last = value }
            return last
        }
    }
}
