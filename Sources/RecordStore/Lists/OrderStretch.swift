import StorageEngine

/// A stretch of an order: where it lies in its tree, and what all of its records have in common.
struct OrderStretch: Sendable {
    let kind: KindSchema
    let order: StoredOrder
    /// Of the values of the order's components, as the app has them.
    private let types: [ValueType]
    /// What the keys of the stretch begin with: the components that are fixed.
    private(set) var prefix: [UInt8] = []
    private(set) var fixedCount = 0
    /// Among all entries, or among those of the facet.
    private(set) var positions: Range<Int>
    /// What the records are filtered by.
    private(set) var facet: Facet?

    init(_ kind: KindSchema, _ order: StoredOrder, _ types: [ValueType], positions: Range<Int>) {
        self.kind = kind
        self.order = order
        self.types = types
        self.positions = positions
    }

    /// Another stretch of the order.
    func with(prefix: [UInt8], fixedCount: Int, _ positions: Range<Int>) -> OrderStretch {
        var stretch = self
        (stretch.prefix, stretch.fixedCount, stretch.positions) = (prefix, fixedCount, positions)
        return stretch
    }

    /// A whole order; `nil` for one that is not made yet, when there is no record that could be in it.
    ///
    /// - Throws: `LibraryError.schemaMismatch` for a name that the type does not declare; `.incompleteOrder` for one that is being made, and for one that
    ///   the next write of such a record begins.
    init?(_ name: String, _ kind: KindSchema, in trees: borrowing some TreeReadable & ~Copyable)
        throws(LibraryError)
    {
        let declared = try kind.order(named: name)
        var stored = try trees.storedOrder(declared)
        if stored == nil { stored = try trees.orderFoldedBefore(declared) }
        guard let order = stored else {
            // Throws for bytes that are no order.
            _ = try trees.storedOrderEntries(of: kind.nameBytes)
            let recordCount = try kind.positions(in: trees).count
            guard recordCount == 0 else {
                throw .incompleteOrder(kind: kind.name, order: name, madeCount: 0, recordCount: recordCount)
            }
            return nil
        }
        if let (madeCount, recordCount) = try trees.progress(of: order, kind.name) {
            throw .incompleteOrder(kind: kind.name, order: name, madeCount: madeCount, recordCount: recordCount)
        }
        self.init(kind, order, declared.types, positions: 0..<(try trees.count(of: order.tree)))
    }

    private var components: [OrderDeclaration.Component] { order.declaration.components }

    /// The component behind those that are fixed.
    func nextComponent() throws(LibraryError) -> OrderDeclaration.Component {
        try checkWhole("grouped")
        guard fixedCount < components.count else {
            throw .invalidArgument(
                "The order “\(order.name)” of \(kind.name) has \(components.count) components, and all of them are given already."
            )
        }
        return components[fixedCount]
    }

    /// What a value of the next component is in a key.
    func bytes(
        of value: some Encodable, _ component: OrderDeclaration.Component, isBound: Bool = false
    ) throws(LibraryError) -> [UInt8] {
        let wanted = nextType
        guard let wanted, wanted.isThat(of: type(of: value)) else {
            throw .invalidArgument(
                "The order “\(order.name)” of \(kind.name) goes on with values of type \(wanted?.name ?? ""); one of type "
                    + "\(ValueType(type(of: value)).name) was given.")
        }
        let worked = component.computed == nil ? nil : try OrderedValue(value)
        if let worked, worked != .nothing {
            return Array(
                OrderDeclaration.Component.beginning(ofComputed: worked.bytes, order.declaration.textByteCount))
        }
        do throws(RecordProblem) {
            if worked == nil, let value = TaggedValue.of(value) {
                return try component.bytes(value, textByteCount: order.declaration.textByteCount)
            }
            guard !isBound else { throw RecordProblem("a stretch has no absent value for an end") }
            guard order.declaration.mayLack(component: fixedCount) else {
                throw RecordProblem(
                    component.isOptional ? "a record without one is not in the order" : "it is never absent")
            }
            return component.absent
        } catch {
            throw .invalidArgument("The order “\(order.name)” of \(kind.name) has no such value: \(error.description).")
        }
    }

    /// The records that have a value of the next component.
    func fixing(
        _ value: some Encodable, in trees: borrowing some TreeReadable & ~Copyable
    ) throws(LibraryError) -> OrderStretch {
        let prefix = prefix + (try bytes(of: value, try nextComponent()))
        let found = try trees.positions(of: order.tree, from: prefix, to: AppRecordKey.end(of: prefix))
        return with(prefix: prefix, fixedCount: fixedCount + 1, found.clamped(to: positions))
    }

    /// The records whose next component lies between two values, or on one side of one; both are among them, and absent values are
    /// not. Which value is the lesser one does not depend on the direction of the order.
    func narrowed<Component: Encodable>(
        from lower: Component?, to upper: Component?, in trees: borrowing some TreeReadable & ~Copyable
    ) throws(LibraryError) -> OrderStretch {
        let component = try nextComponent()
        let mayLack = order.declaration.mayLack(component: fixedCount)
        var (start, end) = (positions.lowerBound, positions.upperBound)
        if let first = component.isDescending ? upper : lower {
            start = try position(of: prefix + (try bytes(of: first, component, isBound: true)), in: trees)
        } else if mayLack, component.isAbsentFirst {
            start = try position(of: prefix + [1], in: trees)
        }
        if let last = component.isDescending ? lower : upper {
            let bytes = prefix + (try bytes(of: last, component, isBound: true))
            end = try position(of: AppRecordKey.end(of: bytes), in: trees)
        } else if mayLack, !component.isAbsentFirst {
            end = try position(of: prefix + [2], in: trees)
        }
        return slice((start..<max(start, end)).clamped(to: positions))
    }

    private func position(
        of key: [UInt8], in trees: borrowing some TreeReadable & ~Copyable
    ) throws(LibraryError) -> Int {
        try trees.position(of: key, in: order.tree, facet: nil)
    }

    /// Some positions of the tree.
    func slice(_ positions: Range<Int>) -> OrderStretch {
        with(prefix: prefix, fixedCount: fixedCount, positions)
    }

    /// The records of a facet.
    func filtered(
        by facet: Facet, in trees: borrowing some TreeReadable & ~Copyable
    ) throws(LibraryError) -> OrderStretch {
        try checkWhole("filtered once more")
        guard order.tree != kind.tree else {
            throw .invalidArgument("Facets are counted in orders. Name an order of \(kind.name) to filter.")
        }
        try order.declaration.requireFacets(order.name, kind.name)
        return try translatingErrors {
            let first = try trees.rank(of: positions.lowerBound, in: order.tree, facet: facet)
            let end = try trees.rank(of: positions.upperBound, in: order.tree, facet: facet)
            var stretch = slice(first..<max(first, end))
            stretch.facet = facet
            return stretch
        }
    }

    /// Sums and stretches are of all records that stand there.
    private func checkWhole(_ words: String) throws(LibraryError) {
        guard facet == nil else {
            throw .invalidArgument(
                "A list that is filtered has no sums and no groups, and cannot be narrowed or \(words). Filter last.")
        }
    }

    // MARK: Records

    func identifiers(
        _ positions: Range<Int>, in trees: borrowing some TreeReadable & ~Copyable
    ) throws(LibraryError) -> [UInt64] {
        try trees.identifiers(in: order.tree, facet, positions)
    }

    // MARK: Sums

    /// The place of a field among the order's sums.
    private func amount<Field>(of field: SummedField<Field>) throws(LibraryError) -> Int {
        try checkWhole("summed up")
        return try place(of: field)
    }

    private func place<Field>(of field: SummedField<Field>) throws(LibraryError) -> Int {
        guard let summed = kind.tags(of: field),
            let amount = order.declaration.sums.firstIndex(where: {
                $0.tag == summed.tag && $0.partTag == summed.partTag
            })
        else {
            let name = (field.part ?? field.path).propertyName
            throw .schemaMismatch(
                "The order “\(order.name)” of \(kind.name) keeps no sums of \(name ?? "\(field.path)"). Declare it: "
                    + "\(field.words()).")
        }
        return amount
    }

    func sum<Field: Summable>(
        of field: SummedField<Field>, _ positions: Range<Int>, in trees: borrowing some TreeReadable & ~Copyable
    ) throws(LibraryError) -> Field.Sum {
        let amount = try amount(of: field)
        try checkUnit(ofSum: amount, positions, in: trees)
        do {
            let total = try trees.sum(ofAmount: amount, in: order.tree, positions: positions)
            guard let sum = Field.sum(exactly: total) else {
                throw LibraryError.tooLarge("The sum \(total) does not fit a \(Field.Sum.self).")
            }
            return sum
        } catch let error as StorageError {
            throw LibraryError(error)
        } catch {
            throw error as? LibraryError ?? .inputOutput("\(error)")
        }
    }

    func bounds<Field: Summable>(
        of field: SummedField<Field>, in trees: borrowing some TreeReadable & ~Copyable
    ) throws(LibraryError) -> (least: Field.Sum, greatest: Field.Sum)? {
        let amount = try amount(of: field)
        try checkUnit(ofSum: amount, positions, in: trees)
        guard let bounds = try bounds(ofAmount: amount, positions, in: trees),
            let least = Field.sum(exactly: Int128(bounds.lowerBound)),
            let greatest = Field.sum(exactly: Int128(bounds.upperBound))
        else { return nil }
        return (least, greatest)
    }

    /// The amount of each entry; `nil` where it is absent.
    func amounts<Field: Summable>(
        of field: SummedField<Field>, _ positions: Range<Int>, in trees: borrowing some TreeReadable & ~Copyable
    ) throws(LibraryError) -> [Field.Sum?] {
        let amount = try place(of: field)
        var amounts: [Field.Sum?] = []
        amounts.reserveCapacity(positions.count)
        try translatingErrors {
            try trees.scan(order.tree, facet: facet, positions: positions) { _, value in
                amounts.append(value.amount(amount).flatMap { Field.sum(exactly: Int128($0)) })
                return true
            }
        }
        return amounts
    }

    private func bounds(
        ofAmount amount: Int, _ positions: Range<Int>, in trees: borrowing some TreeReadable & ~Copyable
    ) throws(LibraryError) -> ClosedRange<Int64>? {
        return try translatingErrors { try trees.bounds(ofAmount: amount, in: order.tree, positions: positions) }
    }

    /// - Throws: `LibraryError.mixedUnits` when the amounts at some positions are not all of one unit.
    private func checkUnit(
        ofSum index: Int, _ positions: Range<Int>, in trees: borrowing some TreeReadable & ~Copyable
    ) throws(LibraryError) {
        guard let amount = order.declaration.unitAmount(ofSum: index), let unit = order.declaration.sums[index].unit,
            let units = try bounds(ofAmount: amount, positions, in: trees), units.lowerBound != units.upperBound
        else { return }
        throw .mixedUnits(
            "These records of the order “\(order.name)” of \(kind.name) have amounts in "
                + "\(unit.words(of: units.lowerBound)) and in \(unit.words(of: units.upperBound)), which do not add up."
        )
    }

    /// The first position behind which the sum of the field is at least, or at most, so much.
    func position<Field: Summable>(
        whereSumOf field: SummedField<Field>, isAtLeast limit: Field.Sum, orAtMost isAtMost: Bool,
        in trees: borrowing some TreeReadable & ~Copyable
    ) throws(LibraryError) -> Int? {
        let amount = try amount(of: field)
        guard order.declaration.sums[amount].findsRows else {
            throw .schemaMismatch(
                "The order “\(order.name)” of \(kind.name) does not find rows by sums. Declare it: "
                    + "\(field.words(", findsRows: true")).")
        }
        try checkUnit(ofSum: amount, positions, in: trees)
        let total = Field.total(of: limit)
        return try translatingErrors {
            return isAtMost
                ? try trees.position(
                    in: order.tree, whereSumOfAmount: amount, isAtMost: total, positions: positions)
                : try trees.position(
                    in: order.tree, whereSumOfAmount: amount, isAtLeast: total, positions: positions)
        }
    }

    // MARK: Groups

    /// The stretches of one value of the next component each, in order. A descent or two a group.
    func groups(in trees: borrowing some TreeReadable & ~Copyable) throws(LibraryError) -> [OrderStretch] {
        _ = try nextComponent()
        var groups: [OrderStretch] = []
        var position = positions.lowerBound
        while position < positions.upperBound {
            let key = try key(at: position, in: trees)
            let end = try componentEnd(in: key)
            let prefix = Array(key[..<end])
            let found = try trees.positions(of: order.tree, from: prefix, to: AppRecordKey.end(of: prefix))
            let group = max(found.lowerBound, position)..<min(found.upperBound, positions.upperBound)
            guard !group.isEmpty else { throw .damaged("The order \(order.name) of \(kind.name) is not in order.") }
            groups.append(with(prefix: prefix, fixedCount: fixedCount + 1, group))
            position = group.upperBound
        }
        return groups
    }

    func key(at position: Int, in trees: borrowing some TreeReadable & ~Copyable) throws(LibraryError) -> [UInt8] {
        try trees.key(at: position, in: order.tree)
    }

    /// Where the next component ends in a key of the stretch.
    private func componentEnd(in key: [UInt8]) throws(LibraryError) -> Int {
        let component = try nextComponent()
        // What is behind the last component is the identifier: of a text that was cut no end tells where it is.
        let isLast = fixedCount + 1 == components.count && order.declaration.tail.isEmpty
        var end = isLast ? max(prefix.count + 1, key.count - 8) : component.end(in: key, from: prefix.count, nextType)
        if component.computed != nil, !isLast {
            // One that was cut has no end of its own.
            end = min(
                end ?? .max,
                prefix.count + OrderDeclaration.Component.computedByteCount(order.declaration.textByteCount))
        }
        guard let end, end + 8 <= key.count else {
            throw .damaged("The order \(order.name) of \(kind.name) has a key that is none: \(key.hexadecimal).")
        }
        return end
    }

    /// The day that the next component of the record at a position says; `nil` for an absent one.
    func day(at position: Int, in trees: borrowing some TreeReadable & ~Copyable) throws(LibraryError) -> Day? {
        let component = try nextComponent()
        let key = try key(at: position, in: trees)
        guard try componentEnd(in: key) == prefix.count + 9 else { return nil }
        let bits = key.number(at: prefix.count + 1) ^ (component.isDescending ? .max : 0) ^ 1 << 63
        guard let days = Int32(exactly: Int64(bitPattern: bits)) else {
            throw .damaged("The order \(order.name) of \(kind.name) has a day that is none.")
        }
        return Day(daysSince1970: days)
    }

    /// The type of the next component, as the app has it.
    var nextType: ValueType? { fixedCount < types.count ? types[fixedCount] : nil }

    /// Behind the last component records go by the tail.
    var nextIsDescending: Bool {
        let next = fixedCount < components.count ? components[fixedCount] : order.declaration.tail.first
        return next?.isDescending ?? false
    }
}

extension OrderDeclaration {
    /// - Throws: `LibraryError.invalidArgument` where the order counts no facets, as those of indexes and unique keys do not.
    func requireFacets(_ name: String, _ kind: String) throws(LibraryError) {
        guard facets.isEmpty else { return }
        throw .invalidArgument(
            "“\(name)” of \(kind) is an index, and facets are counted in orders. Declare an Order of the same fields to filter by one."
        )
    }
}

extension OrderDeclaration.Component {
    /// Where a component that begins at a place of a key ends; `nil` where none does.
    ///
    /// - Parameter type: of the values, which decides for one that is worked out.
    func end(in key: [UInt8], from start: Int, _ type: ValueType?) -> Int? {
        guard start < key.count else { return nil }
        guard key[start] == 1 else { return start + 1 }
        switch computed == nil ? kind : type?.fieldKind ?? kind {
        case .signed, .number, .real: return start + 9 <= key.count ? start + 9 : nil
        case .text, .bytes:
            let (zero, escape): (UInt8, UInt8) = isDescending ? (0xFF, 0) : (0, 0xFF)
            var index = start + 1
            while index + 1 < key.count {
                if key[index] != zero {
                    index += 1
                } else if key[index + 1] == escape {
                    index += 2
                } else {
                    return index + 2
                }
            }
            return nil
        }
    }
}
