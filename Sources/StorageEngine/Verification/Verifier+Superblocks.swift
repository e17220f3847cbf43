/// Both superblocks and their catalogues.
extension Verifier {
    /// The first superblock and its catalogue, and the last, must agree.
    mutating func checkSuperblocks(_ snapshot: SnapshotFile) {
        note(.superblock, items: 2) { verifier in
            for byteOffset in [0, snapshot.byteCount - NodeLayout.pageByteCount] {
                do throws(StorageError) {
                    try verifier.checkHead(of: snapshot, at: byteOffset)
                } catch {
                    if case .damaged(let damage) = error {
                        verifier.report.damage.append(damage)
                    } else {
                        verifier.add(
                            snapshot.path, page: byteOffset / NodeLayout.pageByteCount,
                            "the superblock names another format than the other one")
                    }
                }
            }
        }
    }

    private mutating func checkHead(of snapshot: SnapshotFile, at byteOffset: Int) throws(StorageError) {
        let bytes = snapshot.withBytes { $0.copyBytes(byteOffset..<byteOffset + NodeLayout.pageByteCount) }
        var copy = try bytes.withBytes { (bytes) throws(StorageError) in
            try Superblock(decoding: bytes, path: snapshot.path, at: byteOffset)
        }
        copy.trees = snapshot.superblock.trees
        let pages = bytes.withBytes { CataloguePages(of: $0) }
        guard copy == snapshot.superblock, pages == snapshot.cataloguePages else {
            return add(
                snapshot.path, page: byteOffset / NodeLayout.pageByteCount,
                "the superblock differs from the other one, by which the file was read")
        }
        // The catalogue's checksum is that of the bytes there are, which are looked at below.
        var encoded = copy.encoded()
        encoded.store(pages.checksum, in: SuperblockField.catalogueChecksum)
        encoded.store(CRC32C.checksum(encoded, before: SuperblockField.checksum), in: SuperblockField.checksum)
        // A feature may keep what it needs in the bytes behind the fields.
        if copy.features.isEmpty { addStray(bytes, encoded, at: byteOffset, of: "superblock", snapshot.path) }
        var catalogue: [UInt8] = []
        try bytes.withBytes { (page) throws(StorageError) in
            try copy.readCatalogue(of: page, path: snapshot.path, at: byteOffset) { place in
                catalogue = snapshot.withBytes { $0.copyBytes(place.clamped(to: 0..<$0.byteCount)) }
                return catalogue
            }
        }
        guard copy.features.isEmpty else { return }
        let place = pages.bytes(ofSuperblockAt: byteOffset)
        addStray(catalogue, copy.encodedCatalogue(), at: place.lowerBound, of: "catalogue", snapshot.path)
    }

    private mutating func addStray(
        _ bytes: [UInt8], _ encoded: [UInt8], at byteOffset: Int, of what: String, _ path: String
    ) {
        guard bytes != encoded, let stray = bytes.indices.first(where: { encoded[$0] != bytes[$0] }) else { return }
        let place = byteOffset + stray
        add(path, place, page: place / NodeLayout.pageByteCount, "a byte of the \(what) that is kept at zero is not")
    }
}
