extension DumpText {
    /// A log segment: its header, its frames (all, or the one of a commit), and what its end means.
    ///
    /// `watermark` is the newest commit known from elsewhere to be on the medium. Gives whether a frame was shown.
    @discardableResult
    mutating func segment(_ piece: DumpedBytes, path: String, watermark: UInt64, commit: UInt64? = nil) -> Bool {
        let segment = DumpedSegment(piece, path: path, watermark: watermark)
        if commit == nil { segmentHeader(piece, finding: segment.finding) }
        guard segment.finding == nil else { return false }
        var isFound = false
        for place in segment.frames where commit == nil || place.frame.commit == commit {
            if commit != nil, !isFound { title(path) }
            isFound = true
            frame(place, of: segment)
        }
        guard commit == nil else { return isFound }
        switch segment.ending {
        case .clean: title("end at \(segment.end), clean")
        case .torn(let byteCount):
            title("end at \(segment.end), and a torn tail of \(Self.count(byteCount, "byte")), never acknowledged")
        case .reordered(let byteCount):
            title(
                "end at \(segment.end), and \(Self.count(byteCount, "byte")) with sound frames behind a gap, "
                    + "never acknowledged")
        case .rotten(let damage):
            title("end at \(segment.end)")
            misfit(damage.finding)
        }
        for place in segment.framesBehindGap { frame(place, of: segment) }
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

    private mutating func frame(_ place: DumpedSegment.Place, of segment: DumpedSegment) {
        let piece = segment.piece
        let start = place.byteOffset
        title(
            (place.frame.isWatermarkOnly ? "watermark" : "commit \(place.frame.commit)") + " at \(start)"
                + (place.isBehindGap ? ", behind the gap" : ""))
        text(piece, start, 4, "magic")
        number(piece, start + 4, UInt32.self, "stored bytes")
        number(piece, start + 8, UInt32.self, "raw bytes")
        number(piece, start + 12, UInt32.self, "flags")
        number(piece, start + 16, UInt64.self, "commit")
        number(piece, start + 24, UInt64.self, "watermark")
        checksum(piece, start + 32, "salt")
        checksum(piece, start + 36, "previous checksum")
        number(piece, start + 40, UInt64.self, "time, ms since 1970")
        field(piece, start + 48, 4, "reserved")
        checksum(piece, start + 52, "checksum")
        let stored = Int(piece.number(start + 4, UInt32.self) ?? 0)
        guard stored > 0 else { return }
        field(piece, start + LogFrameFormat.headerByteCount, stored, "payload")
        guard let operations = segment.operations(of: place) else { return misfit("the payload does not decompress") }
        for operation in operations.found { title("  " + operation.words) }
        if !operations.isWhole { misfit("the rest of the payload is no operation") }
    }
}
