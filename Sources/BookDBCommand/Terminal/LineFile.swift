/// The lines of a file or of standard input, read as they are asked for.
final class LineFile: Sequence, IteratorProtocol {
    private let descriptor: Int32
    private let name: String
    private var buffer: [UInt8] = []
    private var start = 0
    /// Up to here the buffer holds no end of a line behind `start`.
    private var searched = 0
    private var isAtEnd = false

    /// Bytes read so far.
    private(set) var byteCount = 0

    /// Why the lines ended before the file did.
    private(set) var failure: CommandFailure?

    /// Whether they ended since the task was cancelled that waited for them.
    private(set) var wasCancelled = false

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
        guard SystemCalls.byteCount(ofFile: path) != nil, let file = try? LineFile(path) else { return false }
        return file.firstSign == UInt8(ascii: "{")
    }

    /// The first byte that is no blank, of the first that are read.
    private var firstSign: UInt8? {
        read()
        return buffer.first { $0 > 0x20 }
    }

    func next() -> [UInt8]? {
        while true {
            if let end = buffer[searched...].firstIndex(of: UInt8(ascii: "\n")) {
                defer { (start, searched) = (end + 1, end + 1) }
                return Array(buffer[start..<end])
            }
            searched = buffer.count
            guard !isAtEnd else {
                defer { (start, searched) = (buffer.count, buffer.count) }
                return start < buffer.count ? Array(buffer[start...]) : nil
            }
            read()
        }
    }

    private func read() {
        buffer.removeFirst(start)
        (start, searched) = (0, searched - start)
        guard buffer.count <= Self.maximumLineByteCount else {
            return end(
                CommandFailure(
                    status: .badInput,
                    sentence: "\(name) has a line of more than \(Self.maximumLineByteCount >> 20) MiB.",
                    next: "import a file that bookdb export has written"))
        }
        // Looks up five times a second whether anybody still wants the lines.
        while !SystemCalls.hasBytes(descriptor, within: 200) {
            guard Task.isCancelled else { continue }
            wasCancelled = true
            return end(nil)
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

    private func end(_ failure: CommandFailure?) {
        self.failure = failure
        (buffer, start, searched) = ([], 0, 0)
        isAtEnd = true
    }

    private static func failure(_ failure: SystemCalls.Failure, _ path: String) -> CommandFailure {
        CommandFailure(
            status: failure.isOfPermission ? .notPermitted : .inputOutput,
            sentence: "\(path) cannot be read: \(failure.words).",
            next: "check the path and the permissions")
    }
}
