import StorageEngine

/// An order as it is stored: by the numbers of fields, so that keys can be made of a record's bytes by whoever has the library.
/// `Formats/LIBRARY.md` describes its bytes.
struct OrderDeclaration: Equatable, Sendable {
    struct Component: Equatable, Sendable {
        /// The tag that a record has the field under.
        let tag: UInt32
        let kind: FieldKind
        let isOptional: Bool
        let isDescending: Bool
        let isAbsentFirst: Bool
        let isFolded: Bool
    }

    struct Sum: Equatable, Sendable {
        let tag: UInt32
        let kind: FieldKind
        let isOptional: Bool
        let findsRows: Bool
    }

    /// A condition whose records are counted.
    struct Facet: Equatable, Sendable {
        let tag: UInt32
        let kind: FieldKind
        let isOptional: Bool
        let comparison: FieldComparison
        /// What the field is compared with, as a component of a key.
        let value: [UInt8]
        let name: String
    }

    /// Shared by all copies: orders are gone through for every record, and each copy counts one reference.
    private final class Storage: Sendable {
        let content: Content
        init(_ content: Content) { self.content = content }
    }

    private struct Content: Equatable {
        var components: [Component] = []
        var sums: [Sum] = []
        var facets: [Facet] = []
        var blank: [UInt8] = []
        var foldingVersion = 0
    }

    private var storage = Storage(Content())

    private var content: Content {
        get { storage.content }
        set { storage = Storage(newValue) }
    }

    init() {}

    static func == (left: OrderDeclaration, right: OrderDeclaration) -> Bool {
        left.storage === right.storage || left.content == right.content
    }

    var components: [Component] {
        get { storage.content.components }
        set { content.components = newValue }
    }

    var sums: [Sum] {
        get { storage.content.sums }
        set { content.sums = newValue }
    }

    /// In the order of the bits of an entry.
    var facets: [Facet] {
        get { storage.content.facets }
        set { content.facets = newValue }
    }

    /// What of its fields those have that are not optional, where they were never written: fields of a record.
    private(set) var blank: [UInt8] {
        get { storage.content.blank }
        set { content.blank = newValue }
    }

    /// By which folding texts were folded; 0 when none is.
    var foldingVersion: Int {
        get { storage.content.foldingVersion }
        set { content.foldingVersion = newValue }
    }

    /// Keeps of a record of which nothing was written the fields that are used here, and no other: a field that comes to the type
    /// makes no other order of this one.
    mutating func setBlank(from empty: [UInt8]) throws(RecordProblem) {
        let used = Set(
            components.filter { !$0.isOptional }.map(\.tag) + sums.filter { !$0.isOptional }.map(\.tag)
                + facets.filter { !$0.isOptional }.map(\.tag))
        blank = []
        var walk = TaggedWalk(empty, 0..<empty.count)
        var start = 0
        while let (tag, _) = try walk.next() {
            if used.contains(tag) { blank += empty[start..<walk.byteOffset] }
            start = walk.byteOffset
        }
    }

    /// Whether texts were folded by rules that are not those of this version.
    var isFoldedOtherwise: Bool { foldingVersion != 0 && foldingVersion != Int(TitleKey.ruleVersion) }

    /// What the branches of its tree hold.
    var columns: TreeColumns {
        TreeColumns(
            [.fingerprint]
                + sums.indices.flatMap { amount in
                    [.sum(amount: amount), .bounds(amount: amount)]
                        + (sums[amount].findsRows ? [.highest(amount: amount), .lowest(amount: amount)] : [])
                })
    }

    /// As many columns as its tree would have.
    var columnCount: Int { sums.reduce(1) { $0 + ($1.findsRows ? 4 : 2) } }
}

extension OrderDeclaration {
    private enum Tag {
        static let component: UInt32 = 1
        static let sum: UInt32 = 2
        static let blank: UInt32 = 3
        static let foldingVersion: UInt32 = 4
        static let facet: UInt32 = 5
        /// Of a component, a sum and a facet.
        static let field: UInt32 = 1
        static let kind: UInt32 = 2
        static let flags: UInt32 = 3
        /// Of a facet.
        static let comparison: UInt32 = 4
        static let value: UInt32 = 5
        static let name: UInt32 = 6
    }

    private enum Flag {
        static let optional: UInt64 = 1
        static let descending: UInt64 = 2
        static let absentFirst: UInt64 = 4
        static let folded: UInt64 = 8
        static let findsRows: UInt64 = 16
    }

    func encoded() -> [UInt8] {
        var writer = RecordWriter()
        for component in components {
            let flags =
                (component.isOptional ? Flag.optional : 0) | (component.isDescending ? Flag.descending : 0)
                | (component.isAbsentFirst ? Flag.absentFirst : 0) | (component.isFolded ? Flag.folded : 0)
            writer.write(Tag.component, Self.field(component.tag, component.kind, flags))
        }
        for sum in sums {
            let flags = (sum.isOptional ? Flag.optional : 0) | (sum.findsRows ? Flag.findsRows : 0)
            writer.write(Tag.sum, Self.field(sum.tag, sum.kind, flags))
        }
        writer.write(Tag.blank, blank)
        writer.number(Tag.foldingVersion, UInt64(foldingVersion))
        for facet in facets {
            var field = RecordWriter()
            field.number(Tag.field, UInt64(facet.tag))
            field.number(Tag.kind, UInt64(facet.kind.rawValue))
            field.number(Tag.flags, facet.isOptional ? Flag.optional : 0)
            field.number(Tag.comparison, UInt64(facet.comparison.rawValue))
            field.write(Tag.value, facet.value)
            field.write(Tag.name, facet.name.utf8)
            writer.write(Tag.facet, field.finish())
        }
        return writer.finish()
    }

    private static func field(_ tag: UInt32, _ kind: FieldKind, _ flags: UInt64) -> [UInt8] {
        var writer = RecordWriter()
        writer.number(Tag.field, UInt64(tag))
        writer.number(Tag.kind, UInt64(kind.rawValue))
        writer.number(Tag.flags, flags)
        return writer.finish()
    }

    init(decoding bytes: [UInt8]) throws(RecordProblem) {
        self.init()
        var walk = TaggedWalk(bytes, 0..<bytes.count)
        while let (tag, place) = try walk.next() {
            switch (tag, place) {
            case (Tag.component, .bytes(let range)):
                let (field, kind, flags, _, _, _) = try Self.field(bytes, range)
                components.append(
                    Component(
                        tag: field, kind: kind, isOptional: flags & Flag.optional != 0,
                        isDescending: flags & Flag.descending != 0, isAbsentFirst: flags & Flag.absentFirst != 0,
                        isFolded: flags & Flag.folded != 0))
            case (Tag.sum, .bytes(let range)):
                let (field, kind, flags, _, _, _) = try Self.field(bytes, range)
                sums.append(
                    Sum(
                        tag: field, kind: kind, isOptional: flags & Flag.optional != 0,
                        findsRows: flags & Flag.findsRows != 0))
            case (Tag.facet, .bytes(let range)):
                let (field, kind, flags, comparison, value, name) = try Self.field(bytes, range)
                guard let comparison else {
                    throw RecordProblem("an order counts by a comparison that is not known here")
                }
                facets.append(
                    Facet(
                        tag: field, kind: kind, isOptional: flags & Flag.optional != 0, comparison: comparison,
                        value: value, name: String(decoding: name, as: UTF8.self)))
            case (Tag.blank, .bytes(let range)): blank = Array(bytes[range])
            case (Tag.foldingVersion, .number(let number)): foldingVersion = Int(clamping: number)
            // An order that a later version declares may be of things that are not known here.
            default: throw RecordProblem("an order has a field \(tag) that is not known here")
            }
        }
        guard !components.isEmpty, columnCount <= Limits.columnCount, sums.count <= Limits.amountCount,
            facets.count <= Limits.facetCount
        else {
            throw RecordProblem(
                "an order has \(components.count) components, \(sums.count) sums and \(facets.count) facets")
        }
    }

    private typealias Field = (
        tag: UInt32, kind: FieldKind, flags: UInt64, comparison: FieldComparison?, value: [UInt8], name: [UInt8]
    )

    private static func field(_ bytes: [UInt8], _ range: Range<Int>) throws(RecordProblem) -> Field {
        var numbers: [UInt64] = [0, 0, 0, 0]
        var value: [UInt8] = []
        var name: [UInt8] = []
        var walk = TaggedWalk(bytes, range)
        while let (tag, place) = try walk.next() {
            switch (tag, place) {
            case (Tag.field...Tag.comparison, .number(let number)): numbers[Int(tag) - 1] = number
            case (Tag.value, .bytes(let range)): value = Array(bytes[range])
            case (Tag.name, .bytes(let range)): name = Array(bytes[range])
            default: throw RecordProblem("a field of an order has a field \(tag) that is not known here")
            }
        }
        guard let tag = UInt32(exactly: numbers[0]), let kind = UInt8(exactly: numbers[1]).flatMap(FieldKind.init)
        else { throw RecordProblem("an order is by a field of a kind that is not known here") }
        return (tag, kind, numbers[2], UInt8(exactly: numbers[3]).flatMap(FieldComparison.init), value, name)
    }
}
