import Testing

@testable import StorageEngine

/// Files with right checksums that no writer made. Each of these trapped, went on for ever, or was taken over in silence.
@Suite struct HostileFileTests {
    private static let leafAndBranch = SnapshotImage.all[1].bytes

    /// The file's first page of a kind, changed.
    private func page(_ kind: UInt8, _ change: (inout [UInt8]) -> Void) throws -> String? {
        let image = Self.leafAndBranch
        let number = try #require((2..<image.count / 4096 - 2).first { image[$0 * 4096] == kind })
        var page = Array(image[number * 4096..<(number + 1) * 4096])
        change(&page)
        return PageValidation.layoutFinding(in: page.span.bytes, pageCount: 64, coldByteCount: 1 << 40)
    }

    private func counts(_ page: [UInt8]) -> FieldArray<UInt32> {
        NodeArrays(
            capacity: Int(page.load(NodeField.count)), columnCount: Int(page.load(NodeField.columnCount))
        ).counts(0)
    }

    private func slot(_ index: Int) -> Int { NodeLayout.headerByteCount + index * 8 }

    /// Each entry lay within the page; together they were sixty kilobytes, which no node that they were copied to could hold.
    @Test func `entries that share their bytes are refused`() throws {
        let finding = try page(NodeLayout.leaf) { page in
            for index in 1..<8 { page.replaceSubrange(slot(index)..<slot(index + 1), with: page[slot(0)..<slot(1)]) }
        }
        #expect(finding != nil)
        let separators = try page(NodeLayout.branch) { page in
            page.replaceSubrange(slot(2)..<slot(3), with: page[slot(1)..<slot(2)])
        }
        #expect(separators != nil)
    }

    /// What the first key and the last share was taken for what all share, and cut from keys that did not have it.
    @Test func `keys that do not ascend are refused`() throws {
        let finding = try page(NodeLayout.leaf) { page in
            for offset in 0..<8 { page.swapAt(slot(1) + offset, slot(2) + offset) }
        }
        #expect(finding == "key 2 does not sort after the one before it")
    }

    @Test func `a head that is not its key's is refused`() throws {
        #expect(try page(NodeLayout.leaf) { $0[slot(3) + 4] ^= 1 } == "the head of key 3 is not its own")
    }

    @Test func `facets that the tree does not count are refused`() throws {
        let finding = try page(NodeLayout.leaf) { page in
            page[NodeLayout.headerByteCount + Int(page[2]) * 8 + 1] = 0x80
        }
        #expect(finding == "entry 0 has facets the tree does not count")
    }

    /// A chain of twelve branches, each naming the next a hundred times, had more entries than could ever be read.
    @Test func `counts that no file of that size can have are refused`() throws {
        let finding = try page(NodeLayout.branch) { page in
            page.store(UInt32.max, in: counts(page)[0])
        }
        #expect(finding?.hasSuffix("are more than the file can hold") == true)
        let none = try page(NodeLayout.branch) { page in
            page.store(UInt32(0), in: counts(page)[0])
        }
        #expect(none == "child 0 counts no entries")
    }

    // MARK: Whole files

    private func opened(_ change: (inout [UInt8]) -> Void) throws -> WriteState {
        var bytes = Self.leafAndBranch
        change(&bytes)
        let log = LogSegmentHeader(store: SnapshotImage.store, sequence: 2, baseCommit: 1, previousChecksum: 0)
        let disk = StoreFolder.disk([
            StoreFolder.snapshot(SnapshotImage.generation): SnapshotSealing.sealed(bytes),
            StoreFolder.log(2): log.encoded(),
        ])
        return try StoreOpening(
            files: StoreFolder.names, fileSystem: disk, options: Options(compaction: .manual), declared: []
        ).open().state
    }

    private func compact(_ state: WriteState) throws {
        let version = Version(commitNumber: 1, generation: state.generation, trees: state.trees)
        try SnapshotBuild(
            version: version, generation: 3, logSequence: 2, files: StoreFolder.names, fileSystem: StoreFolder.disk([:])
        ) { (_) throws(StorageError) in }.write()
    }

    /// Where the branch of the first tree begins.
    private func branch(_ bytes: [UInt8]) -> Int {
        Int(bytes.load(CatalogueField.rootPage, at: 4096)) * 4096
    }

    private func arrays(_ bytes: [UInt8]) -> NodeArrays {
        NodeArrays(
            capacity: Int(bytes.load(NodeField.count, at: branch(bytes))),
            columnCount: Int(bytes.load(NodeField.columnCount, at: branch(bytes))))
    }

    @Test func `the file as it was made is taken`() throws {
        try compact(try opened { _ in })
    }

    /// An entry too few for one child and too many for the next: the sum was right, and compaction left an entry out.
    @Test func `a compaction does not lose entries to counts that lie`() throws {
        for (first, second) in [(0, 1), (1, 0)] {
            let state = try opened { bytes in
                let counts = arrays(bytes).counts(0)
                bytes[branch(bytes) + counts[first].offset] -= 1
                bytes[branch(bytes) + counts[second].offset] += 1
            }
            #expect(throws: StorageError.self) { try compact(state) }
        }
    }

    /// The last child's count was a few too low.
    @Test func `a compaction does not lose the last entries`() throws {
        let state = try opened { bytes in
            let counts = arrays(bytes).counts(0)
            bytes[branch(bytes) + counts[counts.count - 1].offset] -= 1
        }
        #expect(throws: StorageError.self) { try compact(state) }
    }

    /// Two children in each other's place. The next leaf to split there gave its branch a separator that belonged elsewhere.
    @Test func `a page whose keys leave its parent's range is neither changed nor compacted`() throws {
        let state = try opened { bytes in
            let children = branch(bytes) + arrays(bytes).children.offset
            for offset in 0..<8 { bytes.swapAt(children + 8 + offset, children + 16 + offset) }
        }
        #expect(throws: StorageError.self) { try compact(state) }
        state.begin()
        var refusals = 0
        for byte in UInt8.min...UInt8.max {
            let key: [UInt8] = [UInt8(ascii: "1"), byte]
            do {
                try state.put(key: key.span.bytes, value: key.span.bytes, facets: 0, tree: TreeNumber(1))
            } catch { refusals += 1 }
        }
        #expect(refusals > 0)
    }

    @Test func `two trees under one number, or of one page, are refused`() throws {
        let (first, second) = (4096 + CatalogueField.start(ofTree: 0), 4096 + CatalogueField.start(ofTree: 1))
        #expect(throws: StorageError.self) { try opened { $0[second] = $0[first] } }
        #expect(throws: StorageError.self) {
            try opened {
                let root = $0.load(CatalogueField.rootPage, at: first)
                $0.store(root, in: CatalogueField.rootPage, at: second)
            }
        }
    }

    /// Tree 65 was taken for tree 1.
    @Test func `a tree number beyond all is no other tree`() async throws {
        let trees = [TreeDeclaration(TreeNumber(1), "one")]
        let database = try Database.open(at: "A", trees: trees, fileSystem: MemoryFileSystem())
        await #expect(throws: StorageError.self) {
            try await database.write { try $0.put([1], forKey: [1], in: TreeNumber(65)) }
        }
        #expect(try database.version.count(in: TreeNumber(65)) == 0)
        try await database.close()
    }
}
