import Synchronization

/// The mapped pages of a snapshot file, each verified the first time it is touched.
///
/// A bit per page remembers what was verified, so that opening costs nothing per page and damage is never served. A page
/// that passes has the checksum its parent holds and a layout that keeps every later access within the page.
///
/// Safe because whoever makes or copies one keeps the snapshot file, and with it the mapping, the bits and `origin`.
@safe struct PageSource: @unchecked Sendable {
    // Safe to share because the pages are never written and the bits only ever turn on, atomically.
    private let base: UnsafeRawPointer
    let pageCount: Int
    private let verified: UnsafeMutablePointer<Atomic<UInt64>>
    private let replaced: UnsafeMutablePointer<Atomic<UInt64>>
    private unowned(unsafe) let origin: PageOrigin

    /// - Parameters:
    ///   - verified: a bit for each page.
    ///   - replaced: as many.
    init(
        base: UnsafeRawPointer, pageCount: Int, verified: UnsafeMutablePointer<Atomic<UInt64>>,
        replaced: UnsafeMutablePointer<Atomic<UInt64>>, origin: PageOrigin
    ) {
        unsafe self.base = base
        self.pageCount = pageCount
        unsafe self.verified = verified
        unsafe self.replaced = replaced
        unsafe self.origin = origin
    }

    /// Of the file, for errors.
    var path: String { unsafe origin.path }
    private var coldByteCount: UInt64 { unsafe origin.coldByteCount }
    var mapping: Mapping { unsafe origin.mapping }

    /// Whether it is worth a look which pages to ask for.
    func mayBeCold() -> Bool { unsafe origin.coldHint.mayBeCold() }
    func noteLook(isMissing: Bool) { unsafe origin.coldHint.note(isMissing: isMissing) }

    /// The node behind a child reference: a page number × 2 + 1, or the address of a memory node.
    @inline(__always)
    func node(_ reference: UInt64, checksum: UInt32) throws(StorageError) -> Node {
        guard reference & 1 == 1 else {
            // Safe because memory references are made by the engine only and live as long as the version.
            return unsafe Node(reference: reference)
        }
        return try page(Int(reference >> 1), checksum)
    }

    /// A page that is reached from another tree, which holds no checksum of it: proved by its seal. Precondition: the file has such a page.
    func sealedPage(_ number: UInt32) throws(StorageError) -> Node {
        precondition(Int(number) < pageCount, "a place leads to a page of the file")
        return try page(Int(number), nil)
    }

    /// - Parameter checksum: as the parent says; `nil` where it has none.
    @inline(__always)
    private func page(_ page: Int, _ checksum: UInt32?) throws(StorageError) -> Node {
        if !isTouched(page) { try verify(page, checksum) }
        return unsafe Node(base + page * NodeLayout.pageByteCount)
    }

    /// Whether a page was read, and verified, since the file was mapped.
    @inline(__always)
    func isTouched(_ page: Int) -> Bool {
        assert(page < pageCount, "a reference leads to a page of the file")
        // Safe because page numbers are checked against the page count when the page that holds them is validated.
        return unsafe verified[page >> 6].load(ordering: .acquiring) & (1 << UInt64(page & 63)) != 0
    }

    // MARK: Replaced pages

    /// A commit that is being made has replaced a page. It stays so, also when the commit is undone.
    func noteReplaced(_ node: Node) {
        guard let number = number(of: node) else { return }
        let page = Int(number)
        // Safe because the page is one of the file.
        unsafe replaced[page >> 6].bitwiseOr(1 << UInt64(page & 63), ordering: .acquiringAndReleasing)
    }

    /// The same of all pages.
    func noteAllReplaced() {
        // Safe because there is a word for every 64 pages.
        for word in 0..<(pageCount + 63) / 64 { unsafe replaced[word].store(.max, ordering: .releasing) }
    }

    /// Whether a page is, for all that is known, still a leaf of its tree in every version of the store.
    func isInPlace(_ page: UInt32) -> Bool {
        // Safe because the page is one of the file.
        unsafe replaced[Int(page) >> 6].load(ordering: .acquiring) & (1 << UInt64(page & 63)) == 0
    }

    /// Where in the file a node lies; `nil` for one in memory.
    func number(of node: Node) -> UInt32? {
        // Safe because the address is compared only, not read from.
        unsafe node.isInMemory ? nil : UInt32((Int(node.reference) - Int(bitPattern: base)) / NodeLayout.pageByteCount)
    }

    /// The page that a leaf is or amends, told without reading it; `nil` for one in memory alone.
    func page(ofLeaf reference: UInt64) -> Int? {
        guard reference & 1 == 0 else { return Int(reference >> 1) }
        // Safe because memory references are made by the engine only and live as long as the version, and because the address
        // of the page is compared only.
        let node = unsafe Node(reference: reference)
        return node.amendsPage
            ? unsafe (Int(node.baseReference) - Int(bitPattern: base)) / NodeLayout.pageByteCount : nil
    }

    /// The bytes of a page that is there.
    func withPage<Result>(_ page: UInt32, _ body: (RawSpan) -> Result) -> Result {
        precondition(Int(page) < pageCount, "the page is one of the file")
        // Safe because the page lies within the mapping, and the span lives no longer than the call.
        return unsafe body(
            UnsafeRawBufferPointer(
                start: base + Int(page) * NodeLayout.pageByteCount, count: NodeLayout.pageByteCount
            ).bytes)
    }

    @inline(never)
    private func verify(_ page: Int, _ checksum: UInt32?) throws(StorageError) {
        // No tree has page 0. The root of one that cannot be read leads there, with its number for a checksum.
        if page == 0 { throw unsafe origin.failure(of: checksum ?? 0) }
        // Safe because the page lies within the mapping.
        let bytes = unsafe UnsafeRawBufferPointer(
            start: base + page * NodeLayout.pageByteCount, count: NodeLayout.pageByteCount)
        let finding: String?
        if let checksum {
            finding = unsafe PageValidation.finding(
                in: bytes.bytes, checksum: checksum, pageCount: pageCount, coldByteCount: coldByteCount)
        } else {
            finding = unsafe PageValidation.finding(
                in: bytes.bytes, origin.seal, number: page, pageCount: pageCount, coldByteCount: coldByteCount)
        }
        if let finding { throw damage(page, finding) }
        // A compaction and the symbols of a page go by its number.
        let number = unsafe bytes.bytes.load(NodeField.pageNumber)
        guard Int(number) == page else { throw damage(page, "the page says that it is page \(number)") }
        try proveSymbols(of: unsafe bytes.bytes)
        unsafe verified[page >> 6].bitwiseOr(1 << UInt64(page & 63), ordering: .acquiringAndReleasing)
    }
}

/// Pages of symbols.
///
/// Safe because whoever has a source keeps `origin`, too.
extension PageSource {
    /// The page of symbols that a packed page was written with is read without another look: so it is proved with the page.
    private func proveSymbols(of bytes: RawSpan) throws(StorageError) {
        guard bytes.load(NodeField.kind) == NodeLayout.packedLeaf else { return }
        let symbolsPage = bytes.load(PackedField.symbolsPage)
        guard symbolsPage > 0 else { return }
        try proveSymbols(symbolsPage, of: TreeNumber(bytes.load(NodeField.tree)))
    }

    /// Throws where a page does not hold symbols of the tree. Precondition: the file has such a page.
    func proveSymbols(_ page: UInt32, of tree: TreeNumber) throws(StorageError) {
        guard unsafe !origin.hasSymbols(on: page, of: tree) else { return }
        let finding = withPage(page) {
            unsafe SymbolValidation.finding(in: $0, origin.seal, number: Int(page), of: tree)
        }
        if let finding { throw damage(Int(page), finding) }
        unsafe origin.noteSymbols(on: page, of: tree)
    }

    /// What values of a tree are written in, and how many entries it had when that was chosen. Precondition: the file has such a page.
    func symbols(on page: UInt32, of tree: TreeNumber) throws(StorageError) -> (SymbolEncoder, entryCount: UInt64) {
        try proveSymbols(page, of: tree)
        return withPage(page) { (SymbolEncoder(ofPage: $0), $0.load(SymbolField.chosenFor)) }
    }

    private func damage(_ page: Int, _ finding: String) -> StorageError {
        let damage = Damage(file: path, byteOffset: page * NodeLayout.pageByteCount, page: page, finding: finding)
        unsafe origin.noteMet(damage)
        return .damaged(damage)
    }
}

/// Where pages come from: what their validation and their errors need to know of the file.
final class PageOrigin: Sendable {
    let path: String
    let mapping: Mapping
    let coldHint: ColdHint
    let coldByteCount: UInt64
    let seal: PageSeal
    /// Why nothing of the file can be read, where there is none.
    private let absence: StorageError?
    /// By tree: what keeps it from being read whole.
    private let damages = Lock<[UInt32: Damage]>([:])
    private let met = Lock(Met())
    /// By page: the tree whose symbols it was found to hold.
    private let symbols = Lock<[UInt32: TreeNumber]>([:])

    /// What was met by reading, each place once, and who hears of it.
    private struct Met {
        var damages: [Damage] = []
        var listener: (@Sendable (Damage) -> Void)?
    }

    /// More are not kept: the library needs a repair by then.
    private static let metCountKept = 64

    init(
        _ path: String, _ mapping: Mapping, isCold: Bool = false, coldByteCount: UInt64, _ seal: PageSeal,
        absence: StorageError? = nil
    ) {
        self.path = path
        coldHint = ColdHint(isCold: isCold)
        self.mapping = mapping
        self.seal = seal
        self.coldByteCount = coldByteCount
        self.absence = absence
    }

    /// Somebody who reads has met damage.
    func noteMet(_ damage: Damage) {
        let listener = met.withLock { met -> (@Sendable (Damage) -> Void)? in
            guard met.damages.count < Self.metCountKept, !met.damages.contains(damage) else { return nil }
            met.damages.append(damage)
            return met.listener
        }
        listener?(damage)
    }

    /// What was met so far, in that order.
    var metDamages: [Damage] { met.withLock { $0.damages } }

    /// Calls `body` for each place that is met from now on, on whichever thread reads. What an opening has met is in its report.
    func whenMet(_ body: @escaping @Sendable (Damage) -> Void) { met.withLock { $0.listener = body } }

    func hasSymbols(on page: UInt32, of tree: TreeNumber) -> Bool { symbols.withLock { $0[page] == tree } }
    func noteSymbols(on page: UInt32, of tree: TreeNumber) { symbols.withLock { $0[page] = tree } }

    func failure(of tree: UInt32) -> StorageError { absence ?? .damaged(damage(of: tree)) }

    func note(_ damage: Damage, of tree: UInt32) { damages.withLock { $0[tree] = damage } }

    func damage(of tree: UInt32) -> Damage {
        damages.withLock { $0[tree] }
            ?? Damage(file: path, byteOffset: 0, page: 0, finding: "a reference leads to the superblock")
    }
}
