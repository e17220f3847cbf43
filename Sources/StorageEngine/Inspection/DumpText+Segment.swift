extension DumpText {
    /// A log segment: its header, its frames (all, or the one of a commit), and what its end means.
    ///
    /// `watermark` is the newest commit known from elsewhere to be on the medium. Gives whether a frame was shown.
    @discardableResult
    mutating func segment(
        _ file: any File, watermark: UInt64, commit: UInt64? = nil
    ) throws(StorageError) -> Bool {
        var segment = try DumpedSegment(file, watermark: watermark)
        if commit == nil {
            let head = try DumpedBytes(file, at: 0, count: LogSegmentFormat.headerByteCount)
            segmentHeader(head, finding: segment.finding)
        }
        guard let scan = segment.scan else { return false }
        var isFound = false
        try segment.forEachFrame { (place, reader) throws(StorageError) in
            guard commit == nil || (place.frame.commit == commit && !place.frame.isWatermarkOnly) else { return }
            if commit != nil, !isFound { title(file.path) }
            isFound = true
            try frame(place, of: file, &reader)
        }
        guard commit == nil else { return isFound }
        switch scan.ending {
        case .clean: title("end at \(scan.end), clean")
        case .torn(let byteCount):
            title("end at \(scan.end), and a torn tail of \(Self.count(byteCount, "byte")), never acknowledged")
        case .reordered(let byteCount):
            title(
                "end at \(scan.end), and \(Self.count(byteCount, "byte")) with sound frames behind a gap, "
                    + "never acknowledged")
        case .rotten(let damage):
            title("end at \(scan.end)")
            misfit(damage.finding)
        }
        try segment.forEachFrameBehindGap { (place, reader) throws(StorageError) in
            try frame(place, of: file, &reader)
        }
        return isFound
    }

    mutating func segmentHeader(_ piece: DumpedBytes, finding: String?) {
        title("log segment")
        text(piece, 0, 8, "magic")
        number(piece, 8, UInt32.self, "format version")
        checksum(piece, 12, "salt")
        text(piece, 16, 16, "store identifier")
        number(piece, 32, UInt64.self, "sequence")
        number(piece, 40, UInt64.self, "behind commit")
        checksum(piece, 48, "previous checksum")
        number(piece, 52, UInt64.self, "generation")
        checksum(piece, 60, "checksum")
        if let finding { misfit(finding) }
    }

    private mutating func frame(
        _ place: DumpedSegment.Place, of file: any File, _ reader: inout LogReader
    ) throws(StorageError) {
        let start = place.frame.start
        // As many bytes of the payload as are shown, and one to say that there are more.
        let shown = min(place.frame.storedByteCount, Self.shownByteCount)
        let piece = try DumpedBytes(file, at: start, count: LogFrameFormat.headerByteCount + shown)
        title(
            (place.frame.isWatermarkOnly ? "closing mark" : "commit \(place.frame.commit)") + " at \(start)"
                + (place.isBehindGap ? ", behind the gap" : ""))
        text(piece, 0, 4, "magic")
        number(piece, 4, UInt32.self, "stored bytes")
        number(piece, 8, UInt32.self, "raw bytes")
        number(piece, 12, UInt32.self, "flags")
        number(piece, 16, UInt64.self, "commit")
        number(piece, 24, UInt64.self, "watermark")
        checksum(piece, 32, "salt")
        checksum(piece, 36, "previous checksum")
        number(piece, 40, UInt64.self, "time, ms since 1970")
        field(piece, 48, 4, "reserved")
        checksum(piece, 52, "checksum")
        guard place.frame.storedByteCount > 0 else { return }
        field(piece, LogFrameFormat.headerByteCount, place.frame.storedByteCount, "payload")
        guard let operations = try reader.operations(of: place.frame) else {
            return misfit("the payload does not decompress")
        }
        for operation in operations.found { title("  " + operation.words) }
        if !operations.isWhole { misfit("the rest of the payload is no operation") }
    }
}
