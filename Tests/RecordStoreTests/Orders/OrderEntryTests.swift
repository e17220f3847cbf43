import StorageEngine
import TestSupport
import Testing

@testable import RecordStore
@testable import Filing

/// The entries that records have in orders: all of a kind's made in one walk, and against bytes put together by hand.
@Suite struct OrderEntryTests {
    private static let kind = RecordKind<LedgerTransfer>.current
    private static let orders = kind.orders.map(\.toBeMade)
    /// Of a library without records: these name none.
    private let version: Version

    init() throws { version = try RecordLibrary.inMemory().snapshot.version }

    private func entries(of bytes: [UInt8], id: UInt64 = 0) throws(LibraryError) -> [OrderEntry] {
        try Self.kind.entries(of: bytes, in: Self.orders, id: ID(rawValue: id), version)
    }

    private func possibleEntries(of bytes: [UInt8]) throws(LibraryError) -> [OrderEntry] {
        try Self.orders.possibleEntries(of: bytes, (Self.kind.name, 0), in: version)
    }

    private static func random(using random: inout SeededGenerator) -> LedgerTransfer {
        let texts = [nil, "", "Food", "a\u{0}b", "Zoë", "!?", "\u{0}", String(repeating: "x", count: 120)]
        return LedgerTransfer(
            account: ID(rawValue: .random(in: 0 ... .max, using: &random)),
            date: Day(daysSince1970: .random(in: -40...400, using: &random)),
            amount: Money(tenThousandths: .random(in: -5000...5000, using: &random)),
            category: random.pick(texts)!, note: random.pick(texts)! ?? "Café",
            fee: random.oneIn(3) ? Money(tenThousandths: .random(in: 0...999, using: &random)) : nil,
            method: random.pick(PaymentMethod.allCases)!, isPending: random.oneIn(4))
    }

    @Test func `entries have the bytes that the format says`() throws {
        var random = SeededGenerator.forTest(fallback: 30)
        for _ in 0..<300 {
            let transfer = Self.random(using: &random)
            let bytes = try Self.kind.encode(transfer)
            let entries = try entries(of: bytes, id: 0x0102)
            let facets = Self.facets(of: transfer)
            for (order, entry) in zip(Self.orders, entries) {
                let key = Self.key(of: transfer, order.name) + [0, 0, 0, 0, 0, 0, 1, 2]
                #expect(entry.key == key, "\(order.name) of \(transfer)")
                #expect(entry.value == Self.amounts(of: transfer, order.name), "\(order.name) of \(transfer)")
                #expect(entry.facets == facets, "\(order.name) of \(transfer)")
            }
        }
    }

    @Test func `one walk makes the entries that the orders make one by one`() throws {
        var random = SeededGenerator.forTest(fallback: 31)
        var refused = 0
        for _ in 0..<2000 {
            var bytes = try Self.kind.encode(Self.random(using: &random))
            // Fields go, bytes change, and the record ends early.
            if random.oneIn(2) {
                let field = LinkField(tag: FieldNumber.tag(Int.random(in: 1...8, using: &random)), isList: false)
                bytes = try field.removing([0], from: bytes)
            }
            if random.oneIn(4), let index = bytes.indices.randomElement(using: &random) {
                bytes[index] = .random(in: 0...255, using: &random)
            }
            if random.oneIn(8) { bytes.removeLast(min(bytes.count, Int.random(in: 0...9, using: &random))) }
            let single = Self.orders.enumerated().map { index, order in
                (try? order.declaration.entries(of: bytes, id: 0)).map { $0.map { $0.inOrder(index) } }
            }
            #expect(try possibleEntries(of: bytes) == single.flatMap { $0 ?? [] })
            if single.contains(nil) {
                refused += 1
                #expect(throws: LibraryError.self) { try entries(of: bytes) }
            } else {
                #expect(
                    try entries(of: bytes) == single.flatMap { $0 ?? [] })
            }
        }
        #expect(refused > 20, "some records are damaged")
    }

    @Test func `a record that an order refuses is refused with the name of that order`() throws {
        let long = LedgerTransfer(category: String(repeating: "x", count: 301))
        let error = #expect(throws: LibraryError.self) {
            try entries(of: try Self.kind.encode(long))
        }
        #expect(error?.sentence.contains("“by category”") ?? false)
        #expect(error?.sentence.contains("a text of 301 bytes") ?? false)
        #expect(
            try possibleEntries(of: Self.kind.encode(long)).map { Self.orders[$0.order].name } == [
                "all", "statement", "by method",
            ])
        // What no order reads, no order refuses.
        #expect(try Self.kind.entries(of: [0xFF], in: [], id: .unassigned, version).isEmpty)
    }

    @Test
    func `of a field that is there twice the last counts, and its place is the blank record's where it is missing`()
        throws
    {
        var declaration = OrderDeclaration()
        declaration.components = [
            OrderDeclaration.Component(
                tag: 5, kind: .text, isOptional: false, isDescending: false, isAbsentFirst: false),
            OrderDeclaration.Component(
                tag: 6, kind: .number, isOptional: true, isDescending: false, isAbsentFirst: false),
        ]
        var writer = RecordWriter()
        writer.write(5, [0x7A])
        writer.write(6, number: 1)
        try declaration.setBlank(from: writer.finish())
        let id = [UInt8](repeating: 0, count: 8)
        #expect(try declaration.entries(of: [], id: 0).map(\.key) == [[1, 0x7A, 0, 0, 0xFF] + id])
        var twice = RecordWriter()
        twice.write(5, [0x61])
        // Not UTF-8.
        twice.write(5, [0x62, 0xFF])
        twice.write(6, eightBytes: 9)
        let key: [UInt8] = [1, 0x62, 0xEF, 0xBF, 0xBD, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 9, 0, 0, 0, 0, 0, 0, 0, 7]
        #expect(try declaration.entries(of: twice.finish(), id: 7).map(\.key) == [key])
    }

    // MARK: By hand

    private static func number(_ value: UInt64) -> [UInt8] {
        [1] + (0..<8).reversed().map { UInt8(truncatingIfNeeded: value >> (8 * UInt64($0))) }
    }

    private static func date(_ transfer: LedgerTransfer) -> [UInt8] {
        number(UInt64(bitPattern: Int64(transfer.date.daysSince1970)) ^ 1 << 63)
    }

    private static func text(_ text: [UInt8]) -> [UInt8] {
        [1] + text.flatMap { $0 == 0 ? [0, 0xFF] : [$0] } + [0, 0]
    }

    private static func descending(_ component: [UInt8]) -> [UInt8] {
        [component[0]] + component.dropFirst().map { ~$0 }
    }

    private static func key(of transfer: LedgerTransfer, _ order: String) -> [UInt8] {
        let category = transfer.category.map { text(Array($0.utf8)) }
        switch order {
        case "all": return descending(date(transfer))
        case "statement": return number(transfer.account.rawValue) + descending(date(transfer))
        case "by category": return (category ?? [0xFF]) + date(transfer)
        case "by method":
            let folded = FoldedText(transfer.note).bytes
            return text(Array(transfer.method.rawValue.utf8))
                + descending(text(folded.isEmpty ? Array(transfer.note.utf8) : folded))
        default: return category ?? [0]
        }
    }

    private static func amounts(of transfer: LedgerTransfer, _ order: String) -> [UInt8] {
        let amount = transfer.amount.tenThousandths
        let amounts: [Int64] =
            switch order {
            case "statement": [amount]
            case "by category": [amount, transfer.fee?.tenThousandths ?? .min]
            default: []
            }
        return amounts.flatMap { amount in (0..<8).map { UInt8(truncatingIfNeeded: amount >> (8 * $0)) } }
    }

    private static func facets(of transfer: LedgerTransfer) -> UInt16 {
        let conditions = [
            transfer.isPending, transfer.method == .cash, transfer.method == .transfer, transfer.method == .card,
            transfer.amount > 0, transfer.category == nil, transfer.category != "Food",
            transfer.fee.map { $0 <= 500 } ?? false, transfer.date < Day(daysSince1970: 100),
        ]
        // In the order in which the facets are declared.
        return conditions.enumerated().reduce(0) { $1.element ? $0 | 1 << UInt16($1.offset) : $0 }
    }
}

extension OrderDeclaration {
    fileprivate func entries(of record: [UInt8], id: UInt64) throws(RecordProblem) -> [OrderEntry] {
        var entries: [OrderEntry] = []
        try appendEntries(of: RecordFields(record), id, 0, to: &entries)
        return entries
    }
}

extension OrderEntry {
    fileprivate func inOrder(_ order: Int) -> OrderEntry {
        OrderEntry(order: order, key: key, value: value, facets: facets)
    }
}
