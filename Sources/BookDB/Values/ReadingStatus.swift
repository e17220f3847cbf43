/// What the reader did, does or means to do with a work.
///
/// The raw values are stored and index the facets of every list: a case is never renumbered.
public enum ReadingStatus: UInt8, CaseIterable, Hashable, Sendable {
    case none = 0
    case wantToRead = 1
    case reading = 2
    case read = 3
    case paused = 4
    case abandoned = 5

    /// The name used in files and on the command line, such as `want-to-read`.
    public var name: String {
        switch self {
        case .none: "none"
        case .wantToRead: "want-to-read"
        case .reading: "reading"
        case .read: "read"
        case .paused: "paused"
        case .abandoned: "abandoned"
        }
    }

    public init?(name: String) {
        guard let status = Self.allCases.first(where: { $0.name == name }) else { return nil }
        self = status
    }
}

extension ReadingStatus: Codable {
    public init(from decoder: any Decoder) throws {
        self = try decoder.named(Self.init(name:))
    }

    public func encode(to encoder: any Encoder) throws {
        try name.encode(to: encoder)
    }
}
