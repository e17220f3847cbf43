/// How far the catalogue data of a work has been looked over.
///
/// The raw values are stored and index the facets of every list: a case is never renumbered.
public enum ReviewStatus: UInt8, CaseIterable, Hashable, Sendable {
    case unreviewed = 0
    case reviewed = 1
    case needsAttention = 2

    /// The name used in files and on the command line, such as `needs-attention`.
    public var name: String {
        switch self {
        case .unreviewed: "unreviewed"
        case .reviewed: "reviewed"
        case .needsAttention: "needs-attention"
        }
    }

    public init?(name: String) {
        guard let status = Self.allCases.first(where: { $0.name == name }) else { return nil }
        self = status
    }
}

extension ReviewStatus: Codable {
    public init(from decoder: any Decoder) throws {
        self = try decoder.named(Self.init(name:))
    }

    public func encode(to encoder: any Encoder) throws {
        try name.encode(to: encoder)
    }
}
