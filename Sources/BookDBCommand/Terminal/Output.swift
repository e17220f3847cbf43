/// Bytes on their way to a file descriptor, some 64 KiB at a time.
///
/// A reader that went away, `bookdb ls L | head`, ends the process without a word.
struct Output: ~Copyable {
    private let descriptor: Int32
    private let name: String
    private var buffer: [UInt8] = []

    private static let bufferByteCount = 64 << 10

    init(descriptor: Int32, name: String) {
        self.descriptor = descriptor
        self.name = name
        buffer.reserveCapacity(Self.bufferByteCount + 4096)
    }

    static var standard: Output { Output(descriptor: SystemCalls.standardOutput, name: "standard output") }

    /// Prints lines to standard output.
    static func print(_ lines: String...) throws(CommandFailure) {
        try print(lines)
    }

    /// Prints lines to standard output.
    static func print(_ lines: [String]) throws(CommandFailure) {
        var output = standard
        for line in lines { try output.write(line: line) }
        try output.flush()
    }

    mutating func write(line: String) throws(CommandFailure) {
        try write(line + "\n")
    }

    mutating func write(_ text: String) throws(CommandFailure) {
        buffer.append(contentsOf: text.utf8)
        if buffer.count >= Self.bufferByteCount { try flush() }
    }

    mutating func flush() throws(CommandFailure) {
        defer { buffer.removeAll(keepingCapacity: true) }
        do throws(SystemCalls.Failure) {
            try SystemCalls.write(buffer, to: descriptor)
        } catch {
            if error == .brokenPipe { SystemCalls.end(.done) }
            throw CommandFailure(
                status: .inputOutput, sentence: "Writing to \(name) failed: \(error.words).",
                next: "see whether the disk is full, or a limit of the process is reached")
        }
    }
}
