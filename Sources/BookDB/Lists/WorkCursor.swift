/// A place in a list that survives changes: the key of the last row of a page.
///
/// The page after a cursor begins with the first work filed behind it, whatever was inserted or deleted before it and
/// even when the row itself is gone. The text form is opaque and fit for URLs.
public struct WorkCursor: Hashable, Sendable {
    /// The order of the list it came from; it has no meaning in another.
    public var order: WorkOrder { index.definition.order }

    public let direction: WorkDirection

    /// The tree of that list.
    let index: WorkIndex
    let key: [UInt8]

    init(_ index: WorkIndex, _ direction: WorkDirection = .forward, key: [UInt8]) {
        self.index = index
        self.direction = direction
        self.key = key
    }

    /// By whose list it goes on, in the words of an error.
    var words: String {
        index.definition.listWords ?? "all works by \(order.rawValue), \(direction.rawValue)"
    }
}

extension WorkCursor: LosslessStringConvertible {
    /// `nil` for text that no cursor has.
    public init?(_ description: String) {
        let digits = Array(description.utf8.dropFirst())
        guard let letter = description.first,
            let index = WorkIndexDefinition.all.first(where: { "\($0.letter)" == letter.lowercased() })?.index,
            !digits.isEmpty, digits.count <= Self.maximumKeyByteCount * 2, digits.count.isMultiple(of: 2)
        else { return nil }
        self.index = index
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
        (direction == .reverse ? index.definition.letter.uppercased() : "\(index.definition.letter)")
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

/// Some rows of a list and the way to the next.
public struct WorkPage: Sendable {
    public let items: [WorkListItem]

    /// The index of the first item in the list.
    public let offset: Int

    /// `nil` at the end of the list.
    public let next: WorkCursor?
}
