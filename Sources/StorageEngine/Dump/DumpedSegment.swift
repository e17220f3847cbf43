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
    ) throws(StorageError) -> (found: [LoggedOperation], isWhole: Bool)? {
        try payload(of: frame).map(LoggedOperation.all(in:))
    }
}
