/// Parts of a store's files for people: what `FileDump` shows of a file, one thing at a time. Takes no lock, changes
/// nothing and works on damaged stores: what does not fit is said, in lines that begin with ✗.
public struct StoreDump {
    /// What became of the question.
    public enum Outcome: Sendable, Equatable {
        /// Shown; so many lines say what does not fit the format.
        case shown(misfits: Int)
        /// There is no such thing in the store: a sentence.
        case absent(String)
    }

    private let files: StoreFiles
    let contents: StoreOpening.Contents
    /// The snapshot files, and the log segments by number. All are open from the beginning, since a compaction may remove them while they are looked at. One
    /// that cannot be opened matters to who asks for it.
    private let snapshots: [Result<any File, StorageError>]
    private let segments: [UInt64: Result<any File, StorageError>]
    /// The snapshot an opening would take; the newest when none can be opened. `nil` when there is none.
    let snapshot: DumpedSnapshot?

    /// The trees that the head of that snapshot lists, none where it cannot be read, and those that the log declares.
    public func declarations() throws(StorageError) -> [TreeDeclaration] {
        var declarations = snapshot?.superblock?.trees.map(\.declaration) ?? []
        try forEachLoggedOperation { (operation, _) in
            guard case .declare(let tree) = operation.kind, !declarations.contains(where: { $0.number == tree.number })
            else { return }
            declarations.append(tree)
        }
        return declarations
    }

    /// Throws when there is no store at the path, or it cannot be read.
    public init(at path: String, fileSystem: any FileSystem = PosixFileSystem()) throws(StorageError) {
        let files = StoreFiles(directory: path)
        guard try files.exist(in: fileSystem) else { throw .notFound(path: path) }
        self = try files.lookingAgain(fileSystem) { (contents) throws(StorageError) in
            guard !contents.snapshots.isEmpty || !contents.logs.isEmpty else {
                throw .notAStore(path: path, reason: "it holds neither a snapshot nor a log")
            }
            return (try StoreDump(contents, files, fileSystem), finding: nil as Damage?)
        }
    }

    private init(
        _ contents: StoreOpening.Contents, _ files: StoreFiles, _ fileSystem: any FileSystem
    ) throws(StorageError) {
        self.files = files
        self.contents = contents
        var snapshots: [Result<any File, StorageError>] = []
        for generation in contents.snapshots {
            snapshots.append(try Self.opened(files.snapshot(generation), fileSystem))
        }
        self.snapshots = snapshots
        var segments: [UInt64: Result<any File, StorageError>] = [:]
        for sequence in contents.logs { segments[sequence] = try Self.opened(files.log(sequence), fileSystem) }
        self.segments = segments
        var newest: [DumpedSnapshot] = []
        for file in snapshots.reversed().prefix(2) {
            let file = try file.get()
            newest.append(try DumpedSnapshot(file, path: file.path))
        }
        snapshot = newest.first { $0.superblock != nil } ?? newest.first
    }

    /// - Throws: `.notFound` for a file that has gone since it was listed.
    private static func opened(
        _ path: String, _ fileSystem: any FileSystem
    ) throws(StorageError) -> Result<any File, StorageError> {
        do throws(StorageError) {
            return .success(try fileSystem.openFile(path, .reading))
        } catch {
            if case .notFound = error { throw error }
            return .failure(error)
        }
    }

    // MARK: What can be asked for

    /// The superblocks of every snapshot file and the header of every log segment.
    public func header(_ emit: @escaping (String) -> Void) throws(StorageError) -> Outcome {
        var text = DumpText(emit)
        for file in snapshots {
            let file = try file.get()
            let snapshot = try DumpedSnapshot(file, path: file.path)
            text.title("\(file.path), \(DumpText.count(try file.byteCount(), "byte"))")
            try text.superblock(snapshot.first, of: file, path: file.path)
            try text.superblock(snapshot.last, of: file, path: file.path)
            if snapshot.superblock == nil { text.misfit("neither superblock is sound and fits the file") }
        }
        if contents.snapshots.isEmpty { text.misfit("there is no snapshot") }
        for sequence in contents.logs {
            let file = try segment(sequence)
            text.title("\(file.path), \(DumpText.count(try file.byteCount(), "byte"))")
            let piece = try DumpedBytes(file, at: 0, count: LogSegmentFormat.headerByteCount)
            text.segmentHeader(piece, finding: try DumpedSegment(file, watermark: snapshotCommit).finding)
        }
        return .shown(misfits: text.misfitCount)
    }

    /// One page by its number; 0 is the superblock.
    public func page(_ number: Int, _ emit: @escaping (String) -> Void) throws(StorageError) -> Outcome {
        guard let snapshot else { return noSnapshot }
        let pageCount = try snapshot.wholePageCount
        guard (0..<pageCount).contains(number) else {
            return .absent("\(snapshot.path) has pages 0 to \(max(0, pageCount - 1)), and no page \(number).")
        }
        var text = DumpText(emit)
        text.title(snapshot.path)
        if snapshot.superblock == nil {
            text.misfit("neither superblock is sound and fits the file: what leads to the page cannot be told")
        }
        try dump(page: number, of: snapshot, pageCount: pageCount, &text)
        return .shown(misfits: text.misfitCount)
    }

    private func dump(
        page number: Int, of snapshot: DumpedSnapshot, pageCount: Int, _ text: inout DumpText
    ) throws(StorageError) {
        if number == 0 { return try text.superblock(snapshot.first, of: snapshot.file, path: snapshot.path) }
        if number == pageCount - 1 {
            return try text.superblock(snapshot.last, of: snapshot.file, path: snapshot.path)
        }
        if let head = snapshot.superblock?.headPageCount, number < head || number >= pageCount - head {
            return text.title(
                "page \(number) at \(number * NodeLayout.pageByteCount) is part of the catalogue of the superblock at "
                    + "\(number < head ? 0 : (pageCount - 1) * NodeLayout.pageByteCount), and shown with it")
        }
        if let superblock = snapshot.superblock, number >= superblock.pageCount {
            return text.title(
                "page \(number) at \(number * NodeLayout.pageByteCount) is part of the cold region, which begins at "
                    + "\(superblock.coldOffset) and holds blocks instead of pages")
        }
        try text.page(number, snapshot.page(number), of: snapshot)
    }

    /// A page by its place in a tree: the `index`-th of its level from the left, from 0. Level 0 are the leaves; no
    /// level and no index is the root.
    public func node(
        _ tree: String, level: Int?, index: Int?, _ emit: @escaping (String) -> Void
    ) throws(StorageError) -> Outcome {
        guard let snapshot else { return noSnapshot }
        guard let superblock = snapshot.superblock else {
            return .absent("\(snapshot.path) has no sound superblock, which alone tells where its trees begin.")
        }
        let place = superblock.trees.firstIndex {
            $0.declaration.name == tree || String($0.declaration.number.rawValue) == tree
        }
        guard let place else {
            let names = superblock.trees.map(\.declaration.name).joined(separator: ", ")
            return .absent("\(snapshot.path) has no tree \"\(tree)\"; its trees are \(names).")
        }
        let levels = snapshot.links.levels[place]
        let name = superblock.trees[place].declaration.name
        guard !levels.isEmpty else {
            return .absent("Tree \"\(name)\" has no pages in \(snapshot.path): what it holds is in the log.")
        }
        let wanted = level ?? (index == nil ? levels.count - 1 : 0)
        guard levels.indices.contains(wanted) else {
            let there = levels.count == 1 ? "level 0 alone" : "levels 0 to \(levels.count - 1)"
            return .absent("Tree \"\(name)\" has \(there), and no level \(wanted).")
        }
        guard let page = levels[wanted].dropFirst(index ?? 0).first else {
            let there = DumpText.count(levels[wanted].count, "page")
            return .absent("Level \(wanted) of tree \"\(name)\" has \(there), counted from 0, and no \(index ?? 0).")
        }
        var text = DumpText(emit)
        text.title(snapshot.path)
        for page in snapshot.links.unreadable {
            text.misfit("page \(page), a branch, cannot be read: pages below it are not counted")
        }
        text.title("tree \"\(name)\", level \(wanted), \(index ?? 0) is page \(page)")
        try text.page(page, snapshot.page(page), of: snapshot)
        return .shown(misfits: text.misfitCount)
    }

    /// Every segment of the log, or one commit of it.
    public func log(commit: UInt64?, _ emit: @escaping (String) -> Void) throws(StorageError) -> Outcome {
        var text = DumpText(emit)
        var isFound = false
        for sequence in contents.logs {
            let path = files.log(sequence)
            if commit == nil { text.title(path) }
            let file = try segment(sequence)
            let isHere = try text.segment(file, watermark: snapshotCommit, commit: commit)
            isFound = isFound || isHere
        }
        if let commit, !isFound {
            return .absent(
                "No frame of the log holds commit \(commit). The snapshot contains those up to \(snapshotCommit).")
        }
        if contents.logs.isEmpty {
            return .absent("\(files.directory) has no log: nothing was written behind its snapshot.")
        }
        return .shown(misfits: text.misfitCount)
    }

    // MARK: Pieces

    var snapshotCommit: UInt64 { snapshot?.superblock?.commitNumber ?? 0 }

    func segment(_ sequence: UInt64) throws(StorageError) -> any File {
        guard let file = segments[sequence] else { throw .notFound(path: files.log(sequence)) }
        return try file.get()
    }

    private var noSnapshot: Outcome { .absent("\(files.directory) has no snapshot, only a log.") }
}
