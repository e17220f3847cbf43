/// A range of values that an index can be asked for: any of Swift's own.
public protocol IndexRange<Bound> {
    associatedtype Bound: Encodable

    var lowerIndexBound: Bound? { get }
    var upperIndexBound: Bound? { get }
    var includesUpperIndexBound: Bool { get }
}

extension Range: IndexRange where Bound: Encodable {
    public var lowerIndexBound: Bound? { lowerBound }
    public var upperIndexBound: Bound? { upperBound }
    public var includesUpperIndexBound: Bool { false }
}

extension ClosedRange: IndexRange where Bound: Encodable {
    public var lowerIndexBound: Bound? { lowerBound }
    public var upperIndexBound: Bound? { upperBound }
    public var includesUpperIndexBound: Bool { true }
}

extension PartialRangeFrom: IndexRange where Bound: Encodable {
    public var lowerIndexBound: Bound? { lowerBound }
    public var upperIndexBound: Bound? { nil }
    public var includesUpperIndexBound: Bool { true }
}

extension PartialRangeUpTo: IndexRange where Bound: Encodable {
    public var lowerIndexBound: Bound? { nil }
    public var upperIndexBound: Bound? { upperBound }
    public var includesUpperIndexBound: Bool { false }
}

extension PartialRangeThrough: IndexRange where Bound: Encodable {
    public var lowerIndexBound: Bound? { nil }
    public var upperIndexBound: Bound? { upperBound }
    public var includesUpperIndexBound: Bool { true }
}
