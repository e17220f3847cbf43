import StorageEngine

/// The orders a list of works comes in. Each has a tree of its own, so no order is ever sorted on demand.
///
/// Works that are alike in the first respect stand in title order. Works without the value (a rating, a series …) come last,
/// forwards and backwards.
public struct WorkOrder: Sendable {
    public let rawValue: String
    let index: WorkIndex

    init(_ rawValue: String, _ index: WorkIndex) { (self.rawValue, self.index) = (rawValue, index) }
}

extension WorkOrder: CaseIterable {
    public static let allCases = definitions.map(\.order)

    /// In the order in which a work has its keys. A new order is one file in this folder and its name here; nothing else has to change.
    static let definitions: [WorkIndexDefinition] = [
        .titleOrder, .authorOrder, .addedOrder, .finishedOrder, .yearOrder, .ratingOrder, .seriesOrder,
    ]
}

extension WorkOrder: RawRepresentable, Codable {
    /// `nil` for a name that no order has.
    public init?(rawValue: String) {
        guard let order = Self.allCases.first(where: { $0.rawValue == rawValue }) else { return nil }
        self = order
    }
}

extension WorkOrder: Hashable {
    public static func == (left: WorkOrder, right: WorkOrder) -> Bool { left.index == right.index }

    public func hash(into hasher: inout Hasher) { hasher.combine(index) }
}

extension WorkOrder: CustomStringConvertible {
    public var description: String { rawValue }
}

extension WorkOrder {
    /// The tree whose order this is.
    var tree: TreeNumber { index.tree }
}

/// Which way a list runs through its order.
public enum WorkDirection: String, CaseIterable, Hashable, Sendable, Codable {
    /// As `WorkOrder` says.
    case forward

    /// The other way round; works without the value still come last.
    case reverse
}
