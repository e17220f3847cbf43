@testable import StorageEngine

/// What looks like frames of a log, and is none.
enum FalseFrames {
    /// The first bytes of so many, with others behind them that would make each longer than any file.
    static func beginnings(_ count: Int) -> [UInt8] {
        [UInt8]((0..<count).map { _ in LogFrameFormat.magic + [0xFF, 0xFF, 0xFF, 0xFF] }.joined())
    }

    /// So many heads of a segment's frames, right but for their checksums, each of which claims all that are behind it.
    static func heads(_ count: Int, salt: UInt32) -> [UInt8] {
        var heads: [UInt8] = []
        for number in 0..<count {
            var head = [UInt8](repeating: 0, count: LogFrameFormat.headerByteCount)
            let claimed = (count - number - 1) * LogFrameFormat.headerByteCount
            head.store(LogFrameFormat.magic, in: LogFrameField.magic)
            head.store(UInt32(claimed), in: LogFrameField.storedCount)
            head.store(salt, in: LogFrameField.salt)
            heads += head
        }
        return heads
    }
}
