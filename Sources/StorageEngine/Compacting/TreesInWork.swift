/// The trees of a snapshot that is being written: which stretch is laid out next, and what becomes of those that are.
struct TreesInWork: OrderedWork {
    private let build: SnapshotBuild
    private(set) var writer: SnapshotWriter
    private let didWrite: @Sendable (TreeDeclaration, inout SnapshotWriter) throws(StorageError) -> Void
    private let declarations: [TreeDeclaration]
    /// Of all trees together.
    private let entryCount: Int

    /// Of the tree whose stretches are handed out.
    private var layout: TreeLayout?
    private var stretches: ArraySlice<TreeStretch> = []
    private var begunCount = 0

    /// The tree that is being written, and what came of its stretches.
    private var tree: SnapshotWriter.OpenTree?
    private var addedCount = 0
    private var endedCount = 0
    private var oldColdByteCount = 0
    private var doneCount = 0

    struct Job: Sendable {
        let build: SnapshotBuild
        let stretch: TreeStretch
        let layout: TreeLayout
        /// Of its tree.
        let isLast: Bool
    }

    struct Product: Sendable {
        let job: Job
        let stretch: StretchBuild.Product
    }

    init(
        _ build: SnapshotBuild, _ writer: SnapshotWriter,
        _ didWrite: @escaping @Sendable (TreeDeclaration, inout SnapshotWriter) throws(StorageError) -> Void
    ) throws(StorageError) {
        self.build = build
        self.writer = writer
        self.didWrite = didWrite
        declarations = build.version.declarations
        var count = 0
        for declaration in declarations { count += try build.count(of: declaration) }
        entryCount = count
    }

    /// Few entries take less time than a thread to wake up.
    var threadCount: Int { entryCount < 4096 ? 1 : OrderedJobs.maximumThreadCount }

    mutating func next() throws(StorageError) -> OrderedJobs.Next<Job> {
        if stretches.isEmpty {
            guard begunCount < declarations.count else { return .none }
            let declaration = declarations[begunCount]
            guard isHomeReady(of: declaration) else { return .later }
            try begin(declaration)
        }
        guard let stretch = stretches.popFirst(), let layout else { preconditionFailure("a tree has a stretch") }
        return .job(Job(build: build, stretch: stretch, layout: layout, isLast: stretches.isEmpty))
    }

    /// A tree that comes before its home gets no places.
    private func isHomeReady(of declaration: TreeDeclaration) -> Bool {
        !declarations[endedCount..<begunCount].contains { $0.number == declaration.home?.tree }
    }

    private mutating func begin(_ declaration: TreeDeclaration) throws(StorageError) {
        let count = try build.keptCount(of: declaration)
        let symbols = writer.takesSymbols(declaration) ? build.symbols(of: declaration, keptCount: count) : nil
        layout = writer.layout(of: declaration, symbols: symbols)
        stretches = try TreeStretch.all(
            of: declaration, in: build.version, keptCount: count,
            added: build.samples[declaration.number], byteCount: build.stretchByteCount)[...]
        begunCount += 1
    }

    static func product(of job: Job) throws(StorageError) -> Product {
        let build = job.build
        return try Product(
            job: job,
            stretch: StretchBuild(
                job.layout, of: build.version, path: build.files.temporarySnapshot(build.generation)
            ).run(
                job.stretch, adding: build.additions[job.layout.declaration.number] ?? [],
                isAnew: build.replaced.contains(job.layout.declaration.number)))
    }

    mutating func take(_ done: Product) throws(StorageError) {
        let (layout, product) = (done.job.layout, done.stretch)
        let declaration = layout.declaration
        let kept = try build.keptCount(of: declaration)
        var tree =
            if let open = self.tree.take() { open } else {
                try writer.beginTree(
                    layout, keptCount: kept, addedCount: build.addedCount(of: declaration))
            }
        guard try writer.append(product.leaves, to: &tree) else { throw build.disordered(declaration) }
        addedCount += product.counts.addedCount
        try count(product.counts)
        guard done.job.isLast else { return self.tree = tree }
        try build.checkCount(of: tree.record, kept: kept, added: addedCount)
        try writer.endTree(tree)
        addedCount = 0
        endedCount += 1
        try didWrite(declaration, &writer)
    }

    private mutating func count(_ counts: StretchBuild.Counts) throws(StorageError) {
        oldColdByteCount += counts.oldColdByteCount
        guard oldColdByteCount <= StretchBuild.oldColdByteLimit(build.version.generation.file) else {
            throw StretchBuild.valuesTooLarge(build.version.generation.file)
        }
        doneCount += counts.doneCount
        try build.progress(min(1, Double(doneCount) / Double(max(entryCount, 1))))
    }
}
