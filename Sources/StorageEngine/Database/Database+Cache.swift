extension Database {
    /// The files of blobs that are cached beside the store: not part of it, and made when the first is written.
    package func cacheFiles() -> BlobFiles {
        BlobFiles(
            directory: files.cache, fileSystem: fileSystem,
            store: { [publication] in
                let version = publication.version
                return version.isLoaded ? version.generation.file.superblock.store.bytes : nil
            },
            isReadOnly: { [openingState] in !openingState.isWritable })
    }
}
