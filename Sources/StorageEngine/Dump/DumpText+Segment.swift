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
        text(piece, LogSegmentField.magic, "magic")
        number(piece, LogSegmentField.formatVersion, "format version")
        checksum(piece, LogSegmentField.salt, "salt")
        text(piece, LogSegmentField.store, "store identifier")
        number(piece, LogSegmentField.sequence, "sequence")
        number(piece, LogSegmentField.baseCommit, "behind commit")
        checksum(piece, LogSegmentField.previousChecksum, "previous checksum")
        number(piece, LogSegmentField.generation, "generation")
        checksum(piece, LogSegmentField.checksum, "checksum")
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
        text(piece, LogFrameField.magic, "magic")
        number(piece, LogFrameField.storedCount, "stored bytes")
        number(piece, LogFrameField.rawCount, "raw bytes")
        number(piece, LogFrameField.flags, "flags")
        number(piece, LogFrameField.commit, "commit")
        number(piece, LogFrameField.watermark, "watermark")
        checksum(piece, LogFrameField.salt, "salt")
        checksum(piece, LogFrameField.previousChecksum, "previous checksum")
        number(piece, LogFrameField.time, "time, ms since 1970")
        number(piece, LogFrameField.trailerCount, "trailer bytes")
        number(piece, LogFrameField.compatible, "compatible features")
        number(piece, LogFrameField.incompatible, "incompatible features")
        checksum(piece, LogFrameField.checksum, "checksum")
        guard place.frame.storedByteCount > 0 else { return }
        field(piece, LogFrameFormat.headerByteCount, place.frame.storedByteCount, "payload")
        let incompatible = place.frame.features.incompatible
        guard incompatible == 0 else {
            return misfit("the payload has features that are not known here, \(incompatible.hexadecimal)")
        }
        guard let operations = try reader.operations(of: place.frame) else {
            return misfit("the payload does not decompress")
        }
        for operation in operations.found { title("  " + operation.words) }
        if !operations.isWhole { misfit("the rest of the payload is no operation") }
    }
}
