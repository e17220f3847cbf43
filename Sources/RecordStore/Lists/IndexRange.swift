/// The stretch of an index that a range of Swift's asks for.
struct IndexRange {
    let start: OrderedValue?
    let end: OrderedValue?
    let includesEnd: Bool

    /// - Throws: `LibraryError.invalidArgument` for a type of range that is not Swift's own, since nothing tells its bounds, and for a range of an
    ///   enumeration, whose cases may have an order of their own.
    init<Bounds: RangeExpression>(_ range: Bounds) throws(LibraryError) where Bounds.Bound: Encodable {
        typealias Bound = Bounds.Bound
        try FieldKind.requireStoredOrder(Bound.self)
        let bounds: (start: Bound?, end: Bound?, includesEnd: Bool)
        switch range {
        case let range as Range<Bound>: bounds = (range.lowerBound, range.upperBound, false)
        case let range as ClosedRange<Bound>: bounds = (range.lowerBound, range.upperBound, true)
        case let range as PartialRangeFrom<Bound>: bounds = (range.lowerBound, nil, false)
        case let range as PartialRangeUpTo<Bound>: bounds = (nil, range.upperBound, false)
        case let range as PartialRangeThrough<Bound>: bounds = (nil, range.upperBound, true)
        default:
            throw .invalidArgument(
                "Records are sorted in a range of Swift's own, such as 1..<5, not in a \(Bounds.self).")
        }
        start = try bounds.start.map { (bound) throws(LibraryError) in try OrderedValue(bound) }
        end = try bounds.end.map { (bound) throws(LibraryError) in try OrderedValue(bound) }
        includesEnd = bounds.includesEnd
    }
}
