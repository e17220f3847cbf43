/// The lines of a file or of standard input, read as they are asked for.
final class LineFile: Sequence, IteratorProtocol {
    private let descriptor: Int32
    private let name: String
    private var buffer: [UInt8] = []
    private var start = 0
    private var isAtEnd = false

    /// Bytes read so far.
    private(set) var byteCount = 0

    /// Why the lines ended before the file did.
    private(set) var failure: CommandFailure?

    private static let chunkByteCount = 1 << 18
    /// A record has up to 16 MiB, of which hexadecimal digits make two and escapes six.
    private static let maximumLineByteCount = 1 << 27

    /// - Parameter path: `-` for standard input.
    init(_ path: String) throws(CommandFailure) {
        name = path == "-" ? "standard input" : path
        do throws(SystemCalls.Failure) {
            descriptor = path == "-" ? SystemCalls.standardInput : try SystemCalls.openForReading(path)
        } catch {
            throw Self.failure(error, path)
        }
    }

    deinit {
        if descriptor != SystemCalls.standardInput { SystemCalls.close(descriptor) }
    }

    /// Whether the first sign of a file is that of a JSON object. `false` for one that cannot be read: whoever reads it says so. A pipe, which
    /// gives its bytes once, is not looked at.
    static func beginsWithObject(_ path: String) -> Bool {
        guard SystemCalls.isRegularFile(path), let file = try? LineFile(path) else { return false }
        return file.first { $0.contains { $0 > 0x20 } }?.first { $0 > 0x20 } == UInt8(ascii: "{")
    }

    func next() -> [UInt8]? {
        while true {
            if let end = buffer[start...].firstIndex(of: UInt8(ascii: "\n")) {
                defer { start = end + 1 }
                return Array(buffer[start..<end])
            }
            guard !isAtEnd else {
                defer { start = buffer.count }
                return start < buffer.count ? Array(buffer[start...]) : nil
            }
            read()
        }
    }

    private func read() {
        buffer.removeFirst(start)
        start = 0
        guard buffer.count <= Self.maximumLineByteCount else {
            return end(
                CommandFailure(
                    status: .badInput,
                    sentence: "\(name) has a line of more than \(Self.maximumLineByteCount >> 20) MiB.",
                    next: "import a file that bookdb export has written"))
        }
        do throws(SystemCalls.Failure) {
            let bytes = try SystemCalls.read(descriptor, upTo: Self.chunkByteCount)
            byteCount += bytes.count
            buffer += bytes
            isAtEnd = bytes.isEmpty
        } catch {
            end(Self.failure(error, name))
        }
    }

    private func end(_ failure: CommandFailure) {
        self.failure = failure
        buffer = []
        isAtEnd = true
    }

    private static func failure(_ failure: SystemCalls.Failure, _ path: String) -> CommandFailure {
        CommandFailure(
            status: failure.isOfPermission ? .notPermitted : .badInput,
            sentence: "\(path) cannot be read: \(failure.words).",
            next: "check the path and the permissions")
    }
}
