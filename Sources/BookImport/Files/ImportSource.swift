/// Where a table comes from.
public enum ImportSource: Sendable {
    case file(path: String)
    case standardInput

    /// Bytes in memory, with a name for messages.
    case bytes([UInt8], name: String)

    /// The file at a path; `-` is standard input.
    public init(path: String) {
        self = path == "-" ? .standardInput : .file(path: path)
    }

    /// How messages call it.
    public var name: String {
        switch self {
        case .file(let path): path
        case .standardInput: "standard input"
        case .bytes(_, let name): name
        }
    }

    /// Opens the source.
    ///
    /// - Throws: `ImportError` when there is no such file or it may not be read.
    func open() throws(ImportError) -> ImportInput {
        switch self {
        case .file(let path): ImportInput(file: try FileBytes(path: path))
        case .standardInput: ImportInput(file: FileBytes.standardInput())
        case .bytes(let bytes, _): ImportInput(bytes: bytes)
        }
    }
}
