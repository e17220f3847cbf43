/// Asks the system for a mapping's bytes a few MiB ahead of one who goes through it from front to back. Mappings expect random
/// reads, so each page of a file that is not cached would be waited for alone; and that advice must stay, for the readers who
/// share the mapping.
///
/// Costs one system call for each 128 KiB, some 10 µs where all is cached.
struct ReadAhead {
    /// Half of this, at least, is on its way or there while the scan goes on.
    private static let windowByteCount = 8 << 20
    /// Systems read no more for one request than they would read ahead by themselves: 128 KiB, where nobody has raised that.
    private static let requestByteCount = 128 << 10

    private let mapping: Mapping
    /// What was asked for since the scan last jumped.
    private var asked = 0..<0

    init(_ mapping: Mapping) { self.mapping = mapping }

    /// The scan is about to read at an offset.
    @inline(__always)
    mutating func reach(_ byteOffset: Int) {
        if byteOffset >= asked.lowerBound, byteOffset + Self.windowByteCount / 2 <= asked.upperBound { return }
        ask(from: byteOffset)
    }

    @inline(never)
    private mutating func ask(from byteOffset: Int) {
        if !asked.contains(byteOffset) { asked = byteOffset..<byteOffset }
        let end = min(byteOffset + Self.windowByteCount, mapping.byteCount)
        guard asked.upperBound < end else { return }
        for start in stride(from: asked.upperBound, to: end, by: Self.requestByteCount) {
            mapping.prefetch(start..<min(start + Self.requestByteCount, end))
        }
        asked = asked.lowerBound..<end
    }
}
