import Filing
import StorageEngine

/// The bytes of an order, as `Formats/LIBRARY.md` has them.
extension OrderDeclaration {
    private enum Tag {
        static let stand: UInt32 = 1
        static let blank: UInt32 = 2
        static let foldingVersion: UInt32 = 3
        static let facet: UInt32 = 4
        static let tail: UInt32 = 5
        static let recordVersion: UInt32 = 6
        static let unique: UInt32 = 7
        /// Of a stand, and of the tail.
        static let component: UInt32 = 1
        static let sum: UInt32 = 2
        /// Of a component, a sum, a unit and a facet.
        static let field: UInt32 = 1
        static let kind: UInt32 = 2
        static let flags: UInt32 = 3
        /// Of a facet.
        static let comparison: UInt32 = 4
        static let value: UInt32 = 5
        static let name: UInt32 = 6
        /// Of a sum.
        static let unit: UInt32 = 7
        /// Of a component and a sum.
        static let part: UInt32 = 8
        /// Of a component.
        static let tailoring: UInt32 = 9
        static let language: UInt32 = 10
        static let sorted: UInt32 = 11
        static let linked: UInt32 = 12
        static let computed: UInt32 = 13
        /// Of what a component is of in another record.
        static let linkedKind: UInt32 = 1
        static let linkedField: UInt32 = 2
        /// Of what code works out.
        static let computedName: UInt32 = 1
        static let computedVersion: UInt32 = 2
    }

    private struct Flags: OptionSet {
        let rawValue: UInt64
        static let optional = Flags(rawValue: 1)
        static let descending = Flags(rawValue: 2)
        static let absentFirst = Flags(rawValue: 4)
        static let folded = Flags(rawValue: 8)
        static let findsRows = Flags(rawValue: 16)
        static let present = Flags(rawValue: 32)
        static let each = Flags(rawValue: 64)
        static let negated = Flags(rawValue: 128)
        static let filed = Flags(rawValue: 256)
        static let first = Flags(rawValue: 512)
        static let beginning = Flags(rawValue: 1024)
        static let known = Flags(rawValue: 2047)

        init(rawValue: UInt64) { self.rawValue = rawValue }

        init(_ flags: (flag: Flags, isSet: Bool)...) {
            self = flags.reduce(into: []) { if $1.isSet { $0.insert($1.flag) } }
        }
    }

    func encoded() -> [UInt8] {
        var writer = RecordWriter()
        for stand in stands { writer.write(Tag.stand, Self.bytes(of: stand)) }
        writer.write(Tag.blank, blank)
        writer.number(Tag.foldingVersion, UInt64(foldingVersion))
        for facet in facets {
            var field = Self.field(facet.tag, facet.kind, Flags((.optional, facet.isOptional)))
            field.number(Tag.comparison, UInt64(facet.comparison.rawValue))
            field.write(Tag.value, facet.value)
            field.write(Tag.name, facet.name.utf8)
            writer.write(Tag.facet, field.finish())
        }
        if !tail.isEmpty { writer.write(Tag.tail, Self.bytes(of: Stand(components: tail))) }
        if recordVersion > 1 { writer.number(Tag.recordVersion, UInt64(recordVersion)) }
        writer.flag(Tag.unique, isUnique)
        return writer.finish()
    }

    private static func bytes(of stand: Stand) -> [UInt8] {
        var writer = RecordWriter()
        for component in stand.components {
            let flags = Flags(
                (.optional, component.isOptional), (.descending, component.isDescending),
                (.absentFirst, component.isAbsentFirst), (.folded, component.collation == .folded),
                (.present, component.occurrence == .present), (.each, component.occurrence == .each),
                (.filed, component.collation.filing != nil), (.first, component.occurrence == .first),
                (.beginning, component.isBeginning))
            var record = field(component.tag, component.kind, flags)
            if !component.partBlank.isEmpty { record.write(Tag.value, component.partBlank) }
            record.number(Tag.part, UInt64(component.partTag ?? 0))
            if let filing = component.collation.filing {
                record.number(Tag.tailoring, UInt64(filing.tailoring.rawValue))
                record.number(Tag.language, UInt64(filing.languageTag ?? 0))
                record.number(Tag.sorted, UInt64(filing.sortTag ?? 0))
            }
            if let linked = component.linked {
                var other = RecordWriter()
                other.write(Tag.linkedKind, linked.kind.utf8)
                other.number(Tag.linkedField, UInt64(linked.tag))
                record.write(Tag.linked, other.finish())
            }
            if let computed = component.computed {
                var code = RecordWriter()
                code.write(Tag.computedName, computed.name.utf8)
                code.number(Tag.computedVersion, UInt64(computed.version))
                record.write(Tag.computed, code.finish())
            }
            writer.write(Tag.component, record.finish())
        }
        for sum in stand.sums {
            let flags = Flags((.optional, sum.isOptional), (.findsRows, sum.findsRows), (.negated, sum.isNegated))
            var record = field(sum.tag, sum.kind, flags)
            if let unit = sum.unit {
                record.write(Tag.unit, field(unit.tag, unit.kind, Flags((.optional, unit.isOptional))).finish())
            }
            record.number(Tag.part, UInt64(sum.partTag ?? 0))
            writer.write(Tag.sum, record.finish())
        }
        return writer.finish()
    }

    private static func field(_ tag: UInt32, _ kind: FieldKind, _ flags: Flags) -> RecordWriter {
        var writer = RecordWriter()
        writer.number(Tag.field, UInt64(tag))
        writer.number(Tag.kind, UInt64(kind.rawValue))
        writer.number(Tag.flags, flags.rawValue)
        return writer
    }

    // MARK: Decoding

    /// - Throws: `RecordProblem` for bytes that are no order that this version knows.
    init(decoding bytes: [UInt8]) throws(RecordProblem) {
        self.init()
        var stands: [Stand] = []
        var walk = TaggedWalk(bytes, 0..<bytes.count)
        while let (tag, place) = try walk.next() {
            switch (tag, place) {
            case (Tag.stand, .bytes(let range)): stands.append(try Self.stand(bytes, range))
            case (Tag.facet, .bytes(let range)):
                let field = try Field(bytes, range)
                guard let comparison = field.comparison, field.unit == nil, field.partTag == nil else {
                    throw RecordProblem("an order counts by a comparison that is not known here")
                }
                facets.append(
                    Facet(
                        tag: field.tag, kind: field.kind, isOptional: field.flags.contains(.optional),
                        comparison: comparison, value: field.value, name: String(decoding: field.name, as: UTF8.self)))
            case (Tag.tail, .bytes(let range)):
                let stand = try Self.stand(bytes, range)
                guard stand.sums.isEmpty, stand.components.allSatisfy(\.isOfHome) else {
                    throw RecordProblem("an order goes on with what is not known here")
                }
                tail = stand.components
            case (Tag.blank, .bytes(let range)): blank = Array(bytes[range])
            case (Tag.foldingVersion, .number(let number)): foldingVersion = Int(clamping: number)
            case (Tag.recordVersion, .number(let number)): recordVersion = Int(clamping: number)
            case (Tag.unique, .number(1)): isUnique = true
            // An order that a later version declares may be of things that are not known here.
            default: throw RecordProblem("an order has a field \(tag) that is not known here")
            }
        }
        guard let first = stands.first, !first.components.isEmpty else { throw RecordProblem("an order is by nothing") }
        self.stands = stands
        guard !hasUnlikeStands else { throw RecordProblem("the stands of an order are not alike") }
        guard columnCount <= Limits.columnCount, amountCount <= Limits.amountCount, facets.count <= Limits.facetCount
        else {
            throw RecordProblem(
                "an order has \(amountCount) amounts, \(columnCount) columns and \(facets.count) facets")
        }
    }

    private static func stand(_ bytes: [UInt8], _ range: Range<Int>) throws(RecordProblem) -> Stand {
        var stand = Stand()
        var walk = TaggedWalk(bytes, range)
        while let (tag, place) = try walk.next() {
            guard case .bytes(let range) = place else {
                throw RecordProblem("a stand of an order has a number for a field \(tag)")
            }
            let field = try Field(bytes, range)
            guard field.comparison == nil else { throw RecordProblem("an order is by a comparison") }
            switch tag {
            case Tag.component: stand.components.append(try field.component)
            case Tag.sum: stand.sums.append(try field.sum(in: bytes))
            default: throw RecordProblem("a stand of an order has a field \(tag) that is not known here")
            }
        }
        guard stand.isOfOneList else {
            throw RecordProblem("an order has places for two lists, which is not known here")
        }
        return stand
    }

    /// What is stored of a field: all of a component, and the beginning of others.
    private struct Field {
        let tag: UInt32
        let kind: FieldKind
        let flags: Flags
        let comparison: FieldComparison?
        private(set) var value: [UInt8] = []
        private(set) var name: [UInt8] = []
        private(set) var unit: Range<Int>?
        private(set) var partTag: UInt32?
        private var filing = Collation.Filing()
        private var linked: LinkedField?
        private var computed: ComputedField?

        init(_ bytes: [UInt8], _ range: Range<Int>) throws(RecordProblem) {
            var numbers: [UInt64] = [0, 0, 0, 0]
            var walk = TaggedWalk(bytes, range)
            while let (tag, place) = try walk.next() {
                switch (tag, place) {
                case (Tag.field...Tag.comparison, .number(let number)): numbers[Int(tag) - 1] = number
                case (Tag.value, .bytes(let range)): value = Array(bytes[range])
                case (Tag.name, .bytes(let range)): name = Array(bytes[range])
                case (Tag.unit, .bytes(let range)): unit = range
                case (Tag.part, .number(let number)): partTag = try Self.tag(number, "a part")
                case (Tag.tailoring, .number(let number)):
                    guard let tailoring = UInt8(exactly: number).flatMap(FilingTailoring.init) else {
                        throw RecordProblem("an order files letters in a way that is not known here, \(number)")
                    }
                    filing.tailoring = tailoring
                case (Tag.language, .number(let number)): filing.languageTag = try Self.tag(number, "a language")
                case (Tag.sorted, .number(let number)): filing.sortTag = try Self.tag(number, "a text")
                case (Tag.linked, .bytes(let range)): linked = try Self.linked(bytes, range)
                case (Tag.computed, .bytes(let range)): computed = try Self.computed(bytes, range)
                default: throw RecordProblem("a field of an order has a field \(tag) that is not known here")
                }
            }
            guard let tag = UInt32(exactly: numbers[0]), let kind = UInt8(exactly: numbers[1]).flatMap(FieldKind.init)
            else { throw RecordProblem("an order is by a field of a kind that is not known here") }
            guard numbers[2] & ~Flags.known.rawValue == 0 else {
                throw RecordProblem("an order has a flag that is not known here")
            }
            (self.tag, self.kind, flags) = (tag, kind, Flags(rawValue: numbers[2]))
            comparison = UInt8(exactly: numbers[3]).flatMap(FieldComparison.init)
        }

        private static func tag(_ number: UInt64, _ words: String) throws(RecordProblem) -> UInt32 {
            guard let tag = UInt32(exactly: number), tag > 0 else {
                throw RecordProblem("an order is by \(words) that is none")
            }
            return tag
        }

        private static func linked(_ bytes: [UInt8], _ range: Range<Int>) throws(RecordProblem) -> LinkedField {
            var (kind, tag): (String?, UInt32?)
            var walk = TaggedWalk(bytes, range)
            while let (field, place) = try walk.next() {
                switch (field, place) {
                case (Tag.linkedKind, .bytes(let range)): kind = String(validating: bytes[range], as: UTF8.self)
                case (Tag.linkedField, .number(let number)): tag = try Self.tag(number, "a field of another record")
                default: throw RecordProblem("a field of another record has a field \(field) that is not known here")
                }
            }
            guard let kind, AppRecordKey.nameByteCount.contains(kind.utf8.count), let tag else {
                throw RecordProblem("an order is by a field of another record that is none")
            }
            return LinkedField(kind: kind, tag: tag)
        }

        private static func computed(_ bytes: [UInt8], _ range: Range<Int>) throws(RecordProblem) -> ComputedField {
            var (name, version): (String?, UInt32?)
            var walk = TaggedWalk(bytes, range)
            while let (field, place) = try walk.next() {
                switch (field, place) {
                case (Tag.computedName, .bytes(let range)): name = String(validating: bytes[range], as: UTF8.self)
                case (Tag.computedVersion, .number(let number)): version = UInt32(exactly: number)
                default: throw RecordProblem("what code works out has a field \(field) that is not known here")
                }
            }
            guard let name, let version else { throw RecordProblem("an order is by code that has no name") }
            return ComputedField(name: name, version: version)
        }

        /// How often a record stands there; `nil` for what is not known here.
        private var occurrence: Occurrence? {
            switch flags.intersection([.present, .each, .first]) {
            case []: .always
            case .present: .present
            case .each: .each
            case .first: .first
            default: nil
            }
        }

        private var isOfList: Bool { !flags.isDisjoint(with: [.each, .first]) }

        /// `nil` for what is not known here.
        private var collation: Collation? {
            let isFiled = flags.contains(.filed)
            guard isFiled || filing == Collation.Filing() else { return nil }
            switch (flags.contains(.folded), isFiled) {
            case (false, false): return .written
            case (true, false): return .folded
            case (false, true): return .filed(filing)
            case (true, true): return nil
            }
        }

        var component: Component {
            get throws(RecordProblem) {
                guard unit == nil, let occurrence, let collation, kind == .text || collation == .written,
                    partTag == nil || occurrence == .each, value.isEmpty || partTag != nil || linked != nil,
                    linked == nil || occurrence == .always || occurrence == .first,
                    computed == nil || (linked == nil && collation == .written && !isOfList && kind == .bytes)
                else {
                    throw RecordProblem("a component of an order is of what is not known here")
                }
                return Component(
                    tag: tag, kind: kind, isOptional: flags.contains(.optional),
                    isDescending: flags.contains(.descending), isAbsentFirst: flags.contains(.absentFirst),
                    collation: collation, isBeginning: flags.contains(.beginning), occurrence: occurrence,
                    partTag: partTag, linked: linked, partBlank: value, computed: computed)
            }
        }

        func sum(in bytes: [UInt8]) throws(RecordProblem) -> Sum {
            let unit = try unit.map { (range) throws(RecordProblem) in try Field(bytes, range) }
            guard unit?.partTag == nil, linked == nil, computed == nil else {
                throw RecordProblem("an order has a unit of elements, which is not known here")
            }
            return Sum(
                tag: tag, kind: kind, isOptional: flags.contains(.optional), findsRows: flags.contains(.findsRows),
                isNegated: flags.contains(.negated),
                unit: unit.map { Unit(tag: $0.tag, kind: $0.kind, isOptional: $0.flags.contains(.optional)) },
                partTag: partTag)
        }
    }
}
