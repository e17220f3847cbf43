extension Companion {
    /// Makes the companion of a version's snapshot again, in memory, and compares it with the file beside that: what its checksums vouch for may still not be
    /// what the tree holds. Reads the tree, and takes as much memory as the file.
    ///
    /// - Parameters:
    ///   - version: of the store in the directory; what was changed since its snapshot does not count.
    ///   - directory: the store's.
    ///   - isBelieved: whether a search would look into a file whose checksums are right.
    /// - Returns: whether both are the same; `nil` where there is no file that a search would believe, or the tree cannot be read.
    package func isAsMade(
        of version: Version, in directory: String, _ fileSystem: any FileSystem,
        where isBelieved: (CompanionFile) -> Bool = { _ in true }
    ) -> Bool? {
        let snapshot = version.generation.file
        let identity = snapshot.identity
        let path = StoreFiles(directory: directory).companion(identity.generation)
        guard let there = CompanionFile(opening: path, of: identity, fileSystem), isBelieved(there) else { return nil }
        let (memory, files) = (MemoryFileSystem(), StoreFiles(directory: "made"))
        memory.createDirectory(files.directory, sharing: .owner)
        let build = CompanionBuild(self, of: snapshot, files, memory) { false }
        build.run()
        guard build.finish(identity) else { return nil }
        let made = CompanionFile(opening: files.temporaryCompanion(identity.generation), of: identity, memory)
        // One that is not needed is none that a search could take for right.
        guard let made else { return false }
        var isSame: Bool?
        there.lendBytes(0..<there.byteCount) { found in
            made.lendBytes(0..<made.byteCount) { expected in
                isSame = found.byteCount == expected.byteCount && found.order(relativeTo: expected) == 0
            }
        }
        return isSame
    }
}
