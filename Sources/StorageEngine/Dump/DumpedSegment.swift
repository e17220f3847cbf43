/// A log segment taken apart: its sound frames, and what its end means. Holds a window of the file at a time.
struct DumpedSegment {
    struct Place {
        let frame: LogFrame
        let isBehindGap: Bool
    }

    let file: any File
    private var reader: LogReader
    /// What the head says; `nil` when nothing can be read, and `finding` says why.
    private(set) var scan: LogScan?
    private(set) var finding: String?

    init(_ file: any File, watermark: UInt64) throws(StorageError) {
        self.file = file
        reader = try LogReader(file)
        do throws(StorageError) {
            let (reader, scan) = try LogReader.scan(file, watermark: watermark, mayGrow: true)
            self.reader = reader
            self.scan = scan
        } catch {
            switch error {
            case .damaged, .newerFormat: finding = error.finding
            default: throw error
            }
        }
    }

    /// Visits the frames in order, then those behind a gap.
    mutating func forEachFrame(
        _ body: (Place, inout LogReader) throws(StorageError) -> Void
    ) throws(StorageError) {
        guard let scan else { return }
        try reader.forEachFrame(of: scan) { (frame, reader) throws(StorageError) in
            try body(Place(frame: frame, isBehindGap: false), &reader)
        }
    }

    mutating func forEachFrameBehindGap(
        _ body: (Place, inout LogReader) throws(StorageError) -> Void
    ) throws(StorageError) {
        guard let scan, scan.ending != .clean else { return }
        var position = scan.end
        var budget = reader.searchBudget
        let end = try reader.usedEnd(from: position)
        while let frame = try reader.frame(
            searchingFrom: position, to: end, salt: scan.header.salt, budget: &budget)
        {
            try body(Place(frame: frame, isBehindGap: true), &reader)
            position = frame.bodyEnd
        }
    }
}

extension LogReader {
    /// What a frame's payload holds; `nil` when it does not decompress.
    mutating func operations(
        of frame: LogFrame
    ) throws(StorageError) -> (found: [DumpedOperation], isWhole: Bool)? {
        try payload(of: frame).map(DumpedOperation.all(in:))
    }
}

/// One operation of a commit, in values of its own.
struct DumpedOperation {
    enum Kind {
        case put(facets: UInt16, value: [UInt8])
        case remove
        case declare(TreeDeclaration)
        case clear
        /// Its bytes are the value, and it is of no tree.
        case note(code: UInt8, value: [UInt8])
    }

    let kind: Kind
    /// `nil` for a note.
    let tree: TreeNumber?
    let key: [UInt8]

    static func all(in payload: [UInt8]) -> (found: [DumpedOperation], isWhole: Bool) {
        var found: [DumpedOperation] = []
        let isWhole = payload.withBytes { payload in
            try? Operation.forEach(in: payload) { (operation) throws(StorageError) in
                switch operation {
                case .put(let tree, let key, let facets, let value):
                    found.append(
                        .init(kind: .put(facets: facets, value: value.copyBytes()), tree: tree, key: key.copyBytes()))
                case .remove(let tree, let key): found.append(.init(kind: .remove, tree: tree, key: key.copyBytes()))
                case .clear(let tree): found.append(.init(kind: .clear, tree: tree, key: []))
                case .note(let code, let value):
                    found.append(.init(kind: .note(code: code, value: value.copyBytes()), tree: nil, key: []))
                case .declare(let tree): found.append(.init(kind: .declare(tree), tree: tree.number, key: []))
                }
            }
        }
        return (found, isWhole ?? false)
    }

    /// Whether it may change the entry with that key.
    func concerns(_ key: [UInt8]) -> Bool {
        if case .clear = kind { true } else { self.key == key }
    }

    var words: String {
        let number = tree?.rawValue ?? 0
        return switch kind {
        case .put(let facets, let value):
            "put \(DumpText.words(key)) in tree \(number), facets \(String(facets, radix: 2)), "
                + "\(DumpText.count(value.count, "byte")) \(DumpText.words(value))"
        case .remove: "remove \(DumpText.words(key)) from tree \(number)"
        case .clear: "clear tree \(number)"
        case .note(let code, let value):
            "note \(code), \(DumpText.count(value.count, "byte")) \(DumpText.words(value))"
        case .declare(let declaration):
            "declare tree \(number) \(DumpText.words(Array(declaration.name.utf8))), "
                + "facets \(declaration.facetCount), columns \(declaration.columns.words), "
                + "placement \(declaration.placement.rawValue)"
        }
    }
}
