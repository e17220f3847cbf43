import RecordStore

/// How far somebody is with a thing: written by name, in place of its raw value.
enum Progress: UInt8, CaseIterable, Hashable, Sendable {
    case none = 0
    case wantToRead = 1
    case reading = 2
    case read = 3
    case paused = 4

    private var name: String {
        switch self {
        case .none: "none"
        case .wantToRead: "want-to-read"
        case .reading: "reading"
        case .read: "read"
        case .paused: "paused"
        }
    }
}

extension Progress: Codable {
    init(from decoder: any Decoder) throws {
        let name = try decoder.singleValueContainer().decode(String.self)
        guard let progress = Self.allCases.first(where: { $0.name == name }) else {
            throw LibraryError.invalidValue("“\(name)” is no progress.")
        }
        self = progress
    }

    func encode(to encoder: any Encoder) throws { try name.encode(to: encoder) }
}
