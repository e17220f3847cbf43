/// A rating of a quarter star to five stars, stored as quarter stars: 1...20.
///
/// Readers rate in whole, half or quarter stars, depending on where they came from. A finer rating of a table is rounded on import, with a
/// warning; in a line of an export it is refused. No rating is `nil`, never zero stars.
public struct Rating: Hashable, Sendable {
    public let quarterStars: UInt8

    /// `nil` unless the value is in 1...20.
    public init?(quarterStars: UInt8) {
        guard (1...20).contains(quarterStars) else { return nil }
        self.quarterStars = quarterStars
    }

    /// Rounded to the nearest quarter; `nil` unless the value is in 0.25...5. A `nil` that is stored means that there is no rating,
    /// so a number from elsewhere is to be checked before: `Rating(stars: 6)` refuses it, and says no more.
    public init?(stars: Double) {
        guard stars.isFinite, (0.25...5).contains(stars) else { return nil }
        self.init(quarterStars: UInt8((stars * 4).rounded()))
    }

    public var stars: Double { Double(quarterStars) / 4 }
}

extension Rating: Comparable {
    public static func < (left: Rating, right: Rating) -> Bool { left.quarterStars < right.quarterStars }
}

/// Text as people write it: `4`, `4.5`, `3.75`.
extension Rating: CustomStringConvertible {
    public var description: String {
        let whole = quarterStars / 4
        return switch quarterStars % 4 {
        case 1: "\(whole).25"
        case 2: "\(whole).5"
        case 3: "\(whole).75"
        default: "\(whole)"
        }
    }
}

extension Rating: Codable {
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        let stars = try container.decode(Double.self)
        guard let rating = Rating(stars: stars) else {
            throw DecodingError.dataCorruptedError(
                in: container, debugDescription: "\(stars) is not a rating: ratings are 0.25 to 5 stars")
        }
        self = rating
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(stars)
    }
}
