/// A place in a list that survives changes: the key of the last row of a page.
///
/// The page after a cursor begins with the first work filed behind it, whatever was inserted or deleted before it and
/// even when the row itself is gone. The text form is opaque and fit for URLs.
public struct WorkCursor: Hashable, Sendable {
    /// The order of the list it came from; it has no meaning in another.
    public let order: WorkOrder
    public let direction: WorkDirection

    let key: [UInt8]

    init(order: WorkOrder, direction: WorkDirection = .forward, key: [UInt8]) {
        self.order = order
        self.direction = direction
        self.key = key
    }
}

extension WorkCursor: LosslessStringConvertible {
    /// `nil` for text that no cursor has.
    public init?(_ description: String) {
        let digits = Array(description.utf8.dropFirst())
        guard let letter = description.first,
            let order = WorkOrder.allCases.first(where: { "\($0.letter)" == letter.lowercased() }),
            !digits.isEmpty, digits.count <= Self.maximumKeyByteCount * 2, digits.count.isMultiple(of: 2)
        else { return nil }
        self.order = order
        direction = letter.isUppercase ? .reverse : .forward
        var key: [UInt8] = []
        for index in stride(from: 0, to: digits.count, by: 2) {
            guard let high = Self.value(ofDigit: digits[index]), let low = Self.value(ofDigit: digits[index + 1])
            else { return nil }
            key.append(high << 4 | low)
        }
        self.key = key
    }

    public var description: String {
        (direction == .reverse ? order.letter.uppercased() : "\(order.letter)")
            + key.map { byte in (byte < 16 ? "0" : "") + String(byte, radix: 16) }.joined()
    }

    /// One less than the longest key of a tree, since the page after a key begins at the key and one byte more.
    private static let maximumKeyByteCount = 511

    private static func value(ofDigit digit: UInt8) -> UInt8? {
        switch digit {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): digit - UInt8(ascii: "a") + 10
        default: nil
        }
    }
}

extension WorkOrder {
    fileprivate var letter: Character {
        switch self {
        case .title: "t"
        case .author: "a"
        case .added: "d"
        case .finished: "f"
        case .year: "y"
        case .rating: "r"
        case .series: "s"
        }
    }
}

/// Some rows of a list and the way to the next.
public struct WorkPage: Sendable {
    public let items: [WorkListItem]

    /// The index of the first item in the list.
    public let offset: Int

    /// `nil` at the end of the list.
    public let next: WorkCursor?
}
