import Dispatch

/// The bytes of a source, piece by piece.
///
/// Reading a file or a pipe blocks a thread, so it happens on a thread of its own and never on one of the few that all
/// tasks of a program share.
actor ImportInput {
    /// As large as a disk likes, and small enough that progress moves.
    static let chunkByteCount = 256 << 10

    /// How many bytes there are altogether; nil for a pipe.
    nonisolated let totalByteCount: Int?

    /// Whether the source can be opened once more and gives the same again.
    nonisolated let canBeReadAgain: Bool

    private let file: FileBytes?
    private var bytes: ArraySlice<UInt8>
    /// Pieces that were read ahead.
    private var readAhead: ArraySlice<[UInt8]> = []
    private let queue: DispatchQueue?

    init(file: FileBytes) {
        self.file = file
        totalByteCount = file.byteCount
        canBeReadAgain = file.canBeOpenedAgain
        bytes = []
        queue = DispatchQueue(label: "BookImport.input")
    }

    init(bytes: [UInt8]) {
        file = nil
        totalByteCount = bytes.count
        canBeReadAgain = true
        self.bytes = bytes[...]
        queue = nil
    }

    /// The next piece; nil at the end.
    ///
    /// - Throws: `ImportError.notReadable`; `CancellationError` when the task was cancelled while waiting for a pipe.
    func next() async throws -> [UInt8]? {
        if let piece = readAhead.popFirst() { return piece }
        guard let file, let queue else {
            guard !bytes.isEmpty else { return nil }
            defer { bytes = bytes.dropFirst(Self.chunkByteCount) }
            return Array(bytes.prefix(Self.chunkByteCount))
        }
        let isCancelled = CancellationFlag()
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                queue.async {
                    continuation.resume(with: Result { try file.read(upTo: Self.chunkByteCount, unless: isCancelled) })
                }
            }
        } onCancel: {
            isCancelled.set()
        }
    }

    /// Puts the pieces read so far in front of what is still to come.
    func giveBack(_ pieces: [[UInt8]]) { readAhead = pieces + readAhead }
}
