/// A log segment taken apart: its sound frames, and what its end means.
struct DumpedSegment {
    struct Place {
        let byteOffset: Int
        let frame: LogFrame
        let isBehindGap: Bool
    }

    let piece: DumpedBytes
    /// Why nothing of it can be read; `nil` when the header is sound.
    private(set) var finding: String?
    private(set) var frames: [Place] = []
    private(set) var framesBehindGap: [Place] = []
    private(set) var end = 0
    private(set) var ending = LogScan.End.clean
    private(set) var header: LogSegmentHeader?

    init(_ piece: DumpedBytes, path: String, watermark: UInt64) {
        self.piece = piece
        do throws(StorageError) {
            try piece.bytes.withBytes { (bytes) throws(StorageError) in
                let scan = try LogScan(bytes, path: path, watermark: watermark)
                header = scan.header
                end = scan.end
                ending = scan.ending
                for start in scan.frames {
                    if let place = Self.place(bytes, start, scan.header.salt, isBehindGap: false) {
                        frames.append(place)
                    }
                }
                if ending != .clean { framesBehindGap = Self.frames(bytes, behind: scan.end, scan.header.salt) }
            }
        } catch {
            finding = error.finding
        }
    }

    /// Frames start at multiples of eight.
    private static func frames(_ bytes: RawSpan, behind end: Int, _ salt: UInt32) -> [Place] {
        var found: [Place] = []
        var position = end
        // As in `LogScan`: an enemy's file may be full of frames that claim to be long.
        var budget = 64 * bytes.byteCount
        while position <= bytes.byteCount - LogFrameFormat.headerByteCount, budget > 0 {
            if let place = place(bytes, position, salt, isBehindGap: true) {
                found.append(place)
                position = max(place.frame.end, position + LogFrameFormat.alignment)
            } else {
                if bytes.loadLittleEndian(at: position, as: UInt32.self) == LogFrameFormat.magic {
                    budget -= min(Int(bytes.loadLittleEndian(at: position + 4, as: UInt32.self)), bytes.byteCount)
                }
                position += LogFrameFormat.alignment
            }
        }
        return found
    }

    private static func place(
        _ bytes: RawSpan, _ start: Int, _ salt: UInt32, isBehindGap: Bool
    ) -> Place? {
        LogFrame(in: bytes, at: start, salt: salt).map {
            Place(byteOffset: start, frame: $0, isBehindGap: isBehindGap)
        }
    }

    /// What a frame's payload holds; `nil` when it does not decompress.
    func operations(of place: Place) -> (found: [DumpedOperation], isWhole: Bool)? {
        piece.withSpan { place.frame.payload(in: $0) }.map(DumpedOperation.all(in:))
    }
}

/// One operation of a commit, in values of its own.
struct DumpedOperation {
    enum Kind {
        case put(facets: UInt16, value: [UInt8])
        case remove
        case declare(TreeDeclaration)
        case clear
    }

    let kind: Kind
    let tree: UInt8
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
                case .declare(let tree): found.append(.init(kind: .declare(tree), tree: tree.number.rawValue, key: []))
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
        switch kind {
        case .put(let facets, let value):
            "put \(DumpText.words(key)) in tree \(tree), facets \(String(facets, radix: 2)), "
                + "\(DumpText.count(value.count, "byte")) \(DumpText.words(value))"
        case .remove: "remove \(DumpText.words(key)) from tree \(tree)"
        case .clear: "clear tree \(tree)"
        case .declare(let declaration):
            "declare tree \(tree) \(DumpText.words(Array(declaration.name.utf8))), facets \(declaration.facetCount), "
                + "placement \(declaration.placement.rawValue)"
        }
    }
}
