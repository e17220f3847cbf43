extension Database {
    /// The files of blobs that are cached beside the store: not part of it, and made when the first is written.
    package func cacheFiles() -> BlobFiles {
        BlobFiles(
            directory: files.cache, store: storeIdentifier, fileSystem: fileSystem, isReadOnly: writer == nil)
    }
}
