import Filing
import StorageEngine

/// An order as it is stored: by the numbers of fields, so that keys can be made of a record's bytes by whoever has the library.
/// `Formats/LIBRARY.md` describes its bytes.
package struct OrderDeclaration: Equatable, Sendable {
    /// How often a record stands in an order for what it has in a field.
    enum Occurrence: Sendable {
        /// Once, whatever it has.
        case always
        /// Once if it has a value.
        case present
        /// Once for each element of a list.
        case each
        /// Once, by the first element of a list.
        case first
    }

    struct Component: Equatable, Sendable {
        /// The tag that a record has the field under; 0 where code of the app works the value out.
        let tag: UInt32
        /// Of the field, or of an element.
        let kind: FieldKind
        let isOptional: Bool
        let isDescending: Bool
        let isAbsentFirst: Bool
        var collation = Collation.written
        /// Whether the beginning of a long text counts, in place of the whole.
        var isBeginning = false
        var occurrence = Occurrence.always
        /// Of an element, which is a record of its own: the tag that it has the field under.
        var partTag: UInt32?
        private var other: Other?

        /// Where the field names another record: the field of that.
        var linked: LinkedField? {
            get { other?.linked }
            set { other = Other.of(newValue, partBlank, computed) }
        }

        /// What code of the app works out of a record, in place of a field; its values are bytes as `OrderedValue` has them.
        var computed: ComputedField? {
            get { other?.computed }
            set { other = Other.of(linked, partBlank, newValue) }
        }

        /// What an element, or the other record, has in a field that it lacks, as a component that ascends; empty for 0 and for nothing. That
        /// of the other record is as it is written.
        var partBlank: [UInt8] {
            get { other?.blank ?? [] }
            set { other = Other.of(linked, newValue, computed) }
        }

        /// What few components have: a component is copied for every record, and each copy counts one reference.
        private final class Other: Equatable, Sendable {
            let linked: LinkedField?
            let blank: [UInt8]
            let computed: ComputedField?

            static func of(_ linked: LinkedField?, _ blank: [UInt8], _ computed: ComputedField?) -> Other? {
                linked == nil && blank.isEmpty && computed == nil ? nil : Other(linked, blank, computed)
            }

            private init(_ linked: LinkedField?, _ blank: [UInt8], _ computed: ComputedField?) {
                self.linked = linked
                self.blank = blank
                self.computed = computed
            }

            static func == (left: Other, right: Other) -> Bool {
                (left.linked, left.blank, left.computed) == (right.linked, right.blank, right.computed)
            }
        }

        init(
            tag: UInt32, kind: FieldKind, isOptional: Bool, isDescending: Bool, isAbsentFirst: Bool,
            collation: Collation = .written, isBeginning: Bool = false, occurrence: Occurrence = .always,
            partTag: UInt32? = nil, linked: LinkedField? = nil, partBlank: [UInt8] = [], computed: ComputedField? = nil
        ) {
            (self.tag, self.kind, self.isOptional) = (tag, kind, isOptional)
            (self.isDescending, self.isAbsentFirst) = (isDescending, isAbsentFirst)
            (self.collation, self.isBeginning, self.occurrence) = (collation, isBeginning, occurrence)
            self.partTag = partTag
            other = Other.of(linked, partBlank, computed)
        }

        /// Whether a record may stand there without a value.
        var mayBeAbsent: Bool {
            switch occurrence {
            case .always: isOptional || linked != nil || computed != nil
            case .present: false
            case .each: isOptional && partTag != nil
            case .first: true
            }
        }

        /// Whether every record has one value there, which is its own: what a home order may go by.
        var isOfHome: Bool {
            linked == nil && computed == nil && (occurrence == .always || occurrence == .first)
        }

        /// Whether the field is a list.
        var isOfList: Bool { occurrence == .each || occurrence == .first }

        /// The field of records that name others, by which the record is found whose field counts.
        var link: LinkField? { linked.map { _ in LinkField(tag: tag, isList: occurrence == .first) } }
    }

    /// What code of the app works out of a record. Only a type that has this code, in this version, can make the keys.
    struct ComputedField: Hashable, Sendable {
        let name: String
        let version: UInt32

        private static let foldedMark = ", folded by "

        /// The name of one whose texts are folded: by other rules it is another.
        static func foldedName(_ name: String) -> String { "\(name)\(foldedMark)\(TitleKey.ruleVersion)" }

        /// The name as the app has given it.
        var givenName: String {
            name.ranges(of: Self.foldedMark).last.map { String(name[..<$0.lowerBound]) } ?? name
        }

        // By bytes, as what is stored.
        static func == (left: ComputedField, right: ComputedField) -> Bool {
            left.version == right.version && left.name.hasSameBytes(as: right.name)
        }
    }

    /// A field of a record that another one names.
    struct LinkedField: Equatable, Sendable {
        /// Of the record that is named.
        let kind: String
        let tag: UInt32

        // By bytes, as what is stored.
        static func == (left: LinkedField, right: LinkedField) -> Bool {
            left.tag == right.tag && left.kind.hasSameBytes(as: right.kind)
        }
    }

    struct Sum: Equatable, Sendable {
        let tag: UInt32
        let kind: FieldKind
        let isOptional: Bool
        let findsRows: Bool
        /// Whether the amount is taken away.
        var isNegated = false
        var unit: Unit?
        /// As that of a component.
        var partTag: UInt32?
    }

    /// A field that says what an amount is of, such as a currency.
    struct Unit: Equatable, Sendable {
        let tag: UInt32
        let kind: FieldKind
        let isOptional: Bool
    }

    /// Where a record stands in the order, and with which amounts. All stands of an order have components of the same kinds in the same
    /// directions, and as many sums.
    struct Stand: Equatable, Sendable {
        var components: [Component] = []
        var sums: [Sum] = []

        /// Whether every record of the kind has one entry.
        var isOfEveryRecord: Bool { components.allSatisfy { $0.occurrence == .always || $0.occurrence == .first } }

        /// The list that it has a place for each element of.
        var list: Component? { components.first { $0.occurrence == .each } }

        /// Whether its places are for the elements of one list at most, and amounts of elements are of that.
        var isOfOneList: Bool {
            let lists = components.filter { $0.occurrence == .each }
            return lists.allSatisfy { $0.tag == lists[0].tag && ($0.partTag != nil || lists.count == 1) }
                && sums.allSatisfy { $0.partTag == nil || $0.tag == lists.first?.tag }
        }

        /// Whether amounts are those of an element.
        var sumsParts: Bool { sums.contains { $0.partTag != nil } }

        fileprivate func agrees(with other: Stand) -> Bool {
            components.count == other.components.count && sums.count == other.sums.count
                && zip(components, other.components).allSatisfy { left, right in
                    (left.kind, left.isDescending, left.isAbsentFirst) == (
                        right.kind, right.isDescending, right.isAbsentFirst
                    )
                        && left.collation.agrees(with: right.collation) && left.isBeginning == right.isBeginning
                }
                && zip(sums, other.sums).allSatisfy { left, right in
                    (left.kind, left.findsRows, left.unit?.kind) == (right.kind, right.findsRows, right.unit?.kind)
                }
        }
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

        /// Names by their bytes, as an order is found: é as one sign and as two are two names.
        static func == (left: Facet, right: Facet) -> Bool {
            (left.tag, left.kind, left.isOptional, left.comparison) == (
                right.tag, right.kind, right.isOptional, right.comparison
            ) && left.value == right.value && left.name.hasSameBytes(as: right.name)
        }
    }

    /// Shared by all copies: orders are gone through for every record, and each copy counts one reference.
    private final class Storage: Sendable {
        let content: Content
        /// The components that are of records which a record names.
        let linked: [Component]
        /// By which some of its texts are filed.
        let tailoring: FilingTailoring?
        let computed: [ComputedField]

        init(_ content: Content) {
            self.content = content
            let components = content.stands.flatMap(\.components) + content.tail
            linked = components.filter { $0.linked != nil }
            tailoring = components.lazy.compactMap { $0.collation.filing?.tailoring }.first
            computed = components.compactMap(\.computed)
        }
    }

    private struct Content: Equatable {
        var stands: [Stand] = [Stand()]
        var tail: [Component] = []
        var facets: [Facet] = []
        var blank: [UInt8] = []
        var foldingVersion = 0
        var recordVersion = 1
        var isUnique = false
    }

    private var storage = Storage(Content())

    private var content: Content {
        get { storage.content }
        set { storage = Storage(newValue) }
    }

    init() {}

    package static func == (left: OrderDeclaration, right: OrderDeclaration) -> Bool {
        left.storage === right.storage || left.content == right.content
    }

    /// One at least.
    var stands: [Stand] {
        get { storage.content.stands }
        set { content.stands = newValue }
    }

    /// Of the first stand, whose kinds and directions are those of all.
    var components: [Component] {
        get { storage.content.stands[0].components }
        set { content.stands[0].components = newValue }
    }

    /// Of the first stand.
    var sums: [Sum] {
        get { storage.content.stands[0].sums }
        set { content.stands[0].sums = newValue }
    }

    /// What records go by that are equal in all components of a stand: fields of their own, before the identifier.
    var tail: [Component] {
        get { storage.content.tail }
        set { content.tail = newValue }
    }

    /// Whether a record without a value for a component may be in the order.
    func mayLack(component index: Int) -> Bool { stands.contains { $0.components[index].mayBeAbsent } }

    /// The components that are of records which a record names: what those have there moves it.
    var linked: [Component] { storage.linked }

    /// What code of the app works out for its keys.
    var computed: [ComputedField] { storage.computed }

    /// The version of records that it is made of: one of an earlier version is brought up to it by the app's upgrades first; 1 where
    /// there are none.
    var recordVersion: Int {
        get { storage.content.recordVersion }
        set { content.recordVersion = newValue }
    }

    /// Whether code of the app may be needed to make its keys. Who does not have that, and writes a record, sets the order aside.
    var needsCode: Bool { recordVersion > 1 || !computed.isEmpty }

    /// Whether a record that has lost what it names, or of which such a record has lost something, may be none that it takes, or come to another unique
    /// key. In others its entry only becomes shorter.
    var mayRefuseLess: Bool {
        needsCode || isUnique || !linked.isEmpty || stands.count > 1 || stands.contains(where: \.sumsParts)
    }

    /// Whether at most one record may have the values of its components. Binds every writer, whether its type says so or not.
    var isUnique: Bool {
        get { storage.content.isUnique }
        set { content.isUnique = newValue }
    }

    /// The same order by another tailoring, where any of its components goes by one.
    func filed(by tailoring: FilingTailoring) -> OrderDeclaration {
        guard isFiled else { return self }
        var declaration = self
        for stand in stands.indices {
            for index in stands[stand].components.indices {
                declaration.stands[stand].components[index].collation.file(by: tailoring)
            }
        }
        for index in tail.indices { declaration.tail[index].collation.file(by: tailoring) }
        return declaration
    }

    /// Where its keys file some letters; `nil` where none of its texts is filed.
    var tailoring: FilingTailoring? { storage.tailoring }

    var isFiled: Bool { tailoring != nil }

    /// Whether every record of the kind has exactly one entry.
    var isOfEveryRecord: Bool { stands.count == 1 && stands[0].isOfEveryRecord }

    /// Whether what cannot be summed up together, or looked up alike, stands together.
    var hasUnlikeStands: Bool { !stands.dropFirst().allSatisfy { $0.agrees(with: stands[0]) } }

    /// In the order of the bits of an entry.
    var facets: [Facet] {
        get { storage.content.facets }
        set { content.facets = newValue }
    }

    /// What of its fields those have that are not optional, where they were never written: fields of a record. All fields where code makes its keys.
    var blank: [UInt8] {
        get { storage.content.blank }
        set { content.blank = newValue }
    }

    /// By which folding texts were folded; 0 when none is.
    var foldingVersion: Int {
        get { storage.content.foldingVersion }
        set { content.foldingVersion = newValue }
    }

    /// Keeps of a record of which nothing was written the fields that are used here, and no other: a field that comes to the type
    /// makes no other order of this one. Code of the app may read any field, so of an order that needs such all are kept.
    mutating func setBlank(from empty: [UInt8]) throws(RecordProblem) {
        guard !needsCode else {
            if let problem = TaggedWalk.problem(in: empty) { throw problem }
            blank = empty
            return
        }
        var used = Set(facets.filter { !$0.isOptional }.map(\.tag))
        used.formUnion(tail.filter { !$0.isOptional || $0.isOfList }.map(\.tag))
        for stand in stands {
            // An element may be optional; its list is not.
            used.formUnion(
                stand.components.filter { $0.linked == nil && $0.computed == nil && (!$0.isOptional || $0.isOfList) }
                    .map(\.tag))
            used.formUnion(stand.sums.filter { !$0.isOptional || $0.partTag != nil }.map(\.tag))
            used.formUnion(stand.sums.compactMap(\.unit).filter { !$0.isOptional }.map(\.tag))
        }
        blank = []
        var walk = TaggedWalk(empty, 0..<empty.count)
        var start = 0
        while let (tag, _) = try walk.next() {
            if used.contains(tag) { blank += empty[start..<walk.byteOffset] }
            start = walk.byteOffset
        }
    }

    /// Whether texts were folded by rules that are not those of this version.
    package var isFoldedOtherwise: Bool { foldingVersion != 0 && foldingVersion != Int(TitleKey.ruleVersion) }

    /// What the branches of its tree hold: of each sum, and then what tells whether the amounts are of one unit.
    var columns: TreeColumns {
        var columns: [TreeColumn] = [.fingerprint]
        for (amount, sum) in sums.enumerated() {
            columns += [.sum(amount: amount), .bounds(amount: amount)]
            if sum.findsRows { columns += [.highest(amount: amount), .lowest(amount: amount)] }
        }
        columns += sums.indices.compactMap(unitAmount).map { .bounds(amount: $0) }
        return TreeColumns(columns)
    }

    /// As many columns as its tree would have.
    var columnCount: Int { sums.reduce(1) { $0 + ($1.findsRows ? 4 : 2) + ($1.unit == nil ? 0 : 1) } }

    /// As many amounts as an entry has: of each sum, and then the unit of each that has one.
    var amountCount: Int { sums.count + sums.count { $0.unit != nil } }

    /// Which amount is the unit of a sum; `nil` where it has none.
    func unitAmount(ofSum index: Int) -> Int? {
        sums[index].unit.map { _ in sums.count + sums[..<index].count { $0.unit != nil } }
    }
}
