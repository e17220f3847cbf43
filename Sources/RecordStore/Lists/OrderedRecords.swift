import StorageEngine

extension Snapshot {
    /// Records of a type in one of the orders that it declares: all, or those that have the given values in its first components.
    ///
    /// ```swift
    /// for account in try snapshot.records(Account.self).all {
    ///     let statement = try snapshot.list(Transfer.self, "statement", of: account.id)
    ///     print(account.name, try statement.sum(\.amount))
    ///     for (month, list) in try statement.groups(by: .month) { print(month, list.count, try list.sum(\.amount)) }
    /// }
    /// ```
    ///
    /// O(log n).
    ///
    /// - Throws: `LibraryError.schemaMismatch` for an order that the type does not declare; `.incompleteOrder` while it is being made, or no write has begun
    ///   it; `.invalidArgument` for a value of another type than the component has, and for more values than components.
    public func list<Value: Record, each Component: Encodable>(
        _ type: Value.Type, _ order: String, of value: repeat each Component
    ) throws(LibraryError) -> RecordOrderList<Value> {
        try version.check(RecordKind<Value>.current)
        var list = try RecordOrderList<Value>(order, in: version)
        for value in repeat each value { list = try list.of(value) }
        return list
    }
}

extension LibraryTransaction {
    /// The same over what the transaction has written so far. When it has changed anything since, the list is to be made again.
    public func list<Value: Record, each Component: Encodable>(
        _ type: Value.Type, _ order: String, of value: repeat each Component
    ) throws(LibraryError) -> TransactionOrderList<Value> {
        try check(RecordKind<Value>.current)
        var list = try TransactionOrderList<Value>(order, in: trees.reader)
        for value in repeat each value { list = try list.of(value) }
        return list
    }
}

/// Records of a snapshot in an order.
public typealias RecordOrderList<Value: Record> = OrderedRecords<Value, Version>

/// Records within a transaction in an order.
public typealias TransactionOrderList<Value: Record> = OrderedRecords<Value, TransactionReader>

/// Records in an order of theirs, or a stretch of it: a value that stays as it is, and reads what it is asked for.
///
/// Its count and every sum are exact and cost two descents of the order at most, whatever its length. Walking it leaves out records
/// whose bytes are damaged; to learn of damage, ask for a `page`.
public struct OrderedRecords<Value: Record, Trees: TreeReadable> {
    let trees: Trees
    /// Of a transaction, how often it had changed anything when the list was made.
    private let changeCount: Int
    /// `nil` where there is no record yet.
    let known: OrderStretch?

    init(_ trees: Trees, _ stretch: OrderStretch?, _ changeCount: Int) {
        self.trees = trees
        self.changeCount = changeCount
        known = stretch
    }

    init(_ order: String, in trees: Trees) throws(LibraryError) {
        self.init(
            trees, try OrderStretch(order, RecordKind<Value>.current.schema, in: trees),
            (trees as? TransactionReader)?.changeCount ?? 0)
    }

    func with(_ stretch: OrderStretch) -> OrderedRecords { OrderedRecords(trees, stretch, changeCount) }

    /// What is to be read.
    ///
    /// - Throws: `LibraryError.invalidArgument` when the transaction has ended or changed anything since the list was made.
    var stretch: OrderStretch? {
        get throws(LibraryError) {
            // Compared first: a cast that fails costs as much as a descent.
            guard Trees.self != Version.self, let transaction = trees as? TransactionReader else { return known }
            guard transaction.isOpen else {
                throw .invalidArgument(
                    "A list of \(Value.recordName) records was kept beyond the transaction that it belongs to.")
            }
            guard transaction.changeCount == changeCount else {
                throw .invalidArgument(
                    "The transaction has changed the library since the list was made. Make the list again.")
            }
            return known
        }
    }

    /// O(1).
    public var count: Int { known?.positions.count ?? 0 }

    public var isEmpty: Bool { count == 0 }

    // MARK: Records

    /// The record at a row, 0 the first. A descent of the order and one of the records.
    ///
    /// - Throws: `LibraryError.invalidArgument` for a row that the list does not have; `.damaged` when it cannot be read.
    public func record(at row: Int) throws(LibraryError) -> Value {
        guard let record = try page(offset: try checked(row), limit: 1).first else { throw noRow(row) }
        return record
    }

    /// Some records, from a row on: fewer at the end of the list.
    ///
    /// - Throws: `LibraryError.damaged` when one of them cannot be read; `LibraryError.invalidArgument` for a negative offset or limit.
    public func page(offset: Int = 0, limit: Int) throws(LibraryError) -> [Value] {
        try records(offset: offset, limit: limit).records()
    }

    /// What a list shows of some records: only the fields that are asked for are read. See `RecordRow`.
    ///
    /// ```swift
    /// let statement = try snapshot.list(Transfer.self, "statement")
    /// let lines = try statement.page(limit: 50) { try "\($0.date) \($0.amount) \($0.note)" }
    /// ```
    ///
    /// - Throws: what `line` throws, and as the other.
    public func page<Line>(
        offset: Int = 0, limit: Int, _ line: (RecordRow<Value>) throws -> Line
    ) throws -> [Line] {
        try records(offset: offset, limit: limit).map(line)
    }

    /// What a list shows of some records and of those that they name by some fields, such as the account of a transfer. Each of these is read
    /// once, whatever number of rows names it, and is `nil` where a row names none or one that is not there.
    ///
    /// ```swift
    /// let newest = try snapshot.list(Transfer.self, "all")
    /// let lines = try newest.page(limit: 50, with: \.account) { transfer, account in
    ///     try "\(transfer.date) \(account?.name ?? "") \(transfer.amount)"
    /// }
    /// ```
    ///
    /// - Throws: as the other.
    public func page<First: RecordReference, each Link: RecordReference, Line>(
        offset: Int = 0, limit: Int, with first: KeyPath<Value, First> & Sendable,
        _ link: repeat KeyPath<Value, each Link> & Sendable,
        line: (RecordRow<Value>, RecordRow<First.Target>?, repeat RecordRow<(each Link).Target>?) throws -> Line
    ) throws -> [Line] where First.Target: Record, repeat (each Link).Target: Record {
        try records(offset: offset, limit: limit).lines(in: trees, with: first, repeat each link, line: line)
    }

    private func records(offset: Int, limit: Int) throws(LibraryError) -> RecordPage {
        let range = try RecordMatches.pageRange(offset: offset, limit: limit, of: count)
        guard let stretch = try stretch else { return .empty }
        return try stretch.kind.rows(
            of: stretch.identifiers(positions(range), in: trees), namedBy: "The order \(stretch.order.name)", in: trees)
    }

    /// The row of a record, to scroll to it: the first where it has several; `nil` for a record that the list does not have. A descent of the
    /// records and one of the order.
    public func row(of id: ID<Value>) throws(LibraryError) -> Int? {
        try stretch.flatMap { (stretch) throws(LibraryError) in try stretch.firstRow(of: id.rawValue, in: trees) }
    }

    /// The identifiers of some rows.
    ///
    /// - Throws: `LibraryError.invalidArgument` for a negative offset or limit.
    public func identifiers(offset: Int = 0, limit: Int) throws(LibraryError) -> [ID<Value>] {
        let range = try RecordMatches.pageRange(offset: offset, limit: limit, of: count)
        return try stretch.map { (stretch) throws(LibraryError) in
            try stretch.identifiers(positions(range), in: trees).map(ID.init(rawValue:))
        } ?? []
    }

    /// The records of the list that a condition holds for, in its order, up to a limit. They are looked at one after the other, and only
    /// the fields that the condition asks for are read: see `RecordRow`.
    ///
    /// - Throws: `LibraryError.damaged` when one of them cannot be read, `.invalidArgument` for a negative limit, and what the condition throws.
    public func identifiers(
        limit: Int = .max, where condition: (RecordRow<Value>) throws -> Bool
    ) throws -> [ID<Value>] {
        guard limit >= 0 else { throw LibraryError.invalidArgument("A limit is zero or more, not \(limit).") }
        var found: [ID<Value>] = []
        var offset = 0
        while offset < count, found.count < limit {
            let page = try records(offset: offset, limit: Self.pieceCount)
            for index in 0..<page.count where found.count < limit {
                let row: RecordRow<Value> = page.row(index)
                if try condition(row) { found.append(row.id) }
            }
            offset += Self.pieceCount
        }
        return found
    }

    /// Each row in order, until `body` returns false.
    func forEachRow(_ body: (RecordRow<Value>) throws(LibraryError) -> Bool) throws(LibraryError) {
        for offset in stride(from: 0, to: count, by: Self.pieceCount) {
            let page = try records(offset: offset, limit: Self.pieceCount)
            for index in 0..<page.count { guard try body(page.row(index)) else { return } }
        }
    }

    /// As many identifiers are found at a time.
    private static var pieceCount: Int { 64 }

    // MARK: Stretches

    /// The records whose next component is a value: of a list of all statements, the statement of an account.
    public func of(_ value: some Encodable) throws(LibraryError) -> OrderedRecords {
        guard let stretch = try stretch else { return self }
        return with(try stretch.fixing(value, in: trees))
    }

    /// The rows in a range of them.
    public func rows(_ rows: Range<Int>) -> OrderedRecords {
        guard let stretch = known else { return self }
        return with(stretch.slice(positions(rows.clamped(to: 0..<count))))
    }

    /// The records whose next component is at least a value, whichever way the order goes. Absent ones are left out.
    ///
    /// - Throws: `LibraryError.invalidArgument` for a case of an enumeration, which may have an order of its own, and for a value of another type.
    public subscript<Component: Encodable>(from value: Component) -> OrderedRecords {
        get throws(LibraryError) { try narrowed(from: value, to: nil as Component?) }
    }

    /// The records whose next component is at most a value.
    public subscript<Component: Encodable>(to value: Component) -> OrderedRecords {
        get throws(LibraryError) { try narrowed(from: nil as Component?, to: value) }
    }

    /// The records whose next component lies between two values, or is one of them.
    public subscript<Component: Encodable>(from lower: Component, to upper: Component) -> OrderedRecords {
        get throws(LibraryError) { try narrowed(from: lower, to: upper) }
    }

    private func narrowed<Component: Encodable>(
        from lower: Component?, to upper: Component?
    ) throws(LibraryError) -> OrderedRecords {
        try FieldKind.requireStoredOrder(Component.self)
        guard let stretch = try stretch else { return self }
        return with(try stretch.narrowed(from: lower, to: upper, in: trees))
    }

    // MARK: Facets

    /// The records of a facet, by its name: that of the flag, `method.card` of a case, or the one given to a condition. Their count
    /// and any row cost a descent. Filter last: stretches, groups, sections and sums are of the whole list, and throw `.invalidArgument` after a
    /// filter.
    ///
    /// - Throws: `LibraryError.schemaMismatch` for a facet that the type does not declare.
    public func filtered(by facet: String) throws(LibraryError) -> OrderedRecords {
        let place = try RecordKind<Value>.current.schema.facet(named: facet)
        guard let stretch = try stretch else { return self }
        return with(try stretch.filtered(by: place, in: trees))
    }

    /// The records whose flag is set.
    public func filtered(by flag: KeyPath<Value, Bool>) throws(LibraryError) -> OrderedRecords {
        try filtered(by: flag.propertyName ?? "")
    }

    /// The records of a case.
    public func filtered<Case: RawRepresentable>(
        by field: KeyPath<Value, Case>, _ value: Case
    ) throws(LibraryError) -> OrderedRecords {
        try filtered(by: "\(field.propertyName ?? "").\(value.rawValue)")
    }

    // MARK: Sums

    /// The exact sum of a field that the order keeps sums of.
    ///
    /// - Throws: `LibraryError.schemaMismatch` for another field; `.mixedUnits` for amounts that do not add up; `.tooLarge` for a sum that does not
    ///   fit.
    public func sum<Field: Summable>(_ field: KeyPath<Value, Field>) throws(LibraryError) -> Field.Sum {
        try sum(SummedField(field), 0..<count)
    }

    /// The amount of each of some rows as the order has it: what a transfer was to the account whose statement this is. `nil` for an absent
    /// one.
    ///
    /// - Throws: as `sum`, but for units; `LibraryError.invalidArgument` for a negative offset or limit.
    public func amounts<Field: Summable>(
        _ field: KeyPath<Value, Field>, offset: Int = 0, limit: Int
    ) throws(LibraryError) -> [Field.Sum?] {
        try amounts(SummedField(field), offset, limit)
    }

    func amounts<Field: Summable>(
        _ field: SummedField<Field>, _ offset: Int, _ limit: Int
    ) throws(LibraryError) -> [Field.Sum?] {
        let range = try RecordMatches.pageRange(offset: offset, limit: limit, of: count)
        return try stretch.map { (stretch) throws(LibraryError) in
            try stretch.amounts(of: field, positions(range), in: trees)
        } ?? []
    }

    /// What a statement prints beside a row: the sum up to and with it, from the oldest row on. In an order that descends, that is
    /// from the end of the list; otherwise from its beginning.
    public func runningSum<Field: Summable>(
        _ field: KeyPath<Value, Field>, at row: Int
    ) throws(LibraryError) -> Field.Sum {
        try runningSum(SummedField(field), row)
    }

    func runningSum<Field: Summable>(_ field: SummedField<Field>, _ row: Int) throws(LibraryError) -> Field.Sum {
        let row = try checked(row)
        return try sum(field, known?.nextIsDescending == true ? row..<count : 0..<row + 1)
    }

    /// The first row behind which the sum of a field, from the first row on, is at least `limit`; `nil` when it never is.
    public func row<Field: Summable>(
        whereSumOf field: KeyPath<Value, Field>, isAtLeast limit: Field.Sum
    ) throws(LibraryError) -> Int? {
        try row(SummedField(field), limit, isAtMost: false)
    }

    /// The first row behind which the sum of a field, from the first row on, is at most `limit`; `nil` when it never is.
    public func row<Field: Summable>(
        whereSumOf field: KeyPath<Value, Field>, isAtMost limit: Field.Sum
    ) throws(LibraryError) -> Int? {
        try row(SummedField(field), limit, isAtMost: true)
    }

    func row<Field: Summable>(
        _ field: SummedField<Field>, _ limit: Field.Sum, isAtMost: Bool
    ) throws(LibraryError) -> Int? {
        guard let stretch = try stretch else { return nil }
        let position = try stretch.position(whereSumOf: field, isAtLeast: limit, orAtMost: isAtMost, in: trees)
        return position.map { $0 - stretch.positions.lowerBound }
    }

    /// The least and the greatest value of a field that the order keeps sums of; `nil` when no record of the list has one.
    public func bounds<Field: Summable>(
        _ field: KeyPath<Value, Field>
    ) throws(LibraryError) -> (least: Field.Sum, greatest: Field.Sum)? {
        try bounds(SummedField(field))
    }

    func bounds<Field: Summable>(
        _ field: SummedField<Field>
    ) throws(LibraryError) -> (least: Field.Sum, greatest: Field.Sum)? {
        try stretch.flatMap { (stretch) throws(LibraryError) in try stretch.bounds(of: field, in: trees) }
    }

    func sum<Field: Summable>(
        _ field: SummedField<Field>, _ rows: Range<Int>
    ) throws(LibraryError) -> Field.Sum {
        guard let stretch = try stretch else {
            guard let zero = Field.sum(exactly: 0) else { throw .tooLarge("A \(Field.Sum.self) has no zero.") }
            return zero
        }
        return try stretch.sum(of: field, positions(rows), in: trees)
    }

    // MARK: Groups

    /// The stretches of the list in which the next component is the same, in order: of all statements one for each account. A
    /// descent or two a group.
    public func groups() throws(LibraryError) -> [OrderedRecords] {
        guard let stretch = try stretch else { return [] }
        return try stretch.groups(in: trees).map { with($0) }
    }

    /// The months, or years, of the next component, which is a day: in the list's order, each with its first day and its rows.
    /// Records without a day are left out. A descent or two a group.
    public func groups(by unit: CalendarUnit) throws(LibraryError) -> [(first: Day, list: OrderedRecords)] {
        guard let stretch = try stretch else { return [] }
        guard stretch.nextType == ValueType(Day.self) else {
            throw .invalidArgument(
                "The order “\(stretch.order.name)” of \(stretch.kind.name) does not go on with a day.")
        }
        var groups: [(first: Day, list: OrderedRecords)] = []
        var position = stretch.positions.lowerBound
        while position < stretch.positions.upperBound {
            guard let day = try stretch.day(at: position, in: trees) else {
                // Absent ones stand together, at one end.
                guard groups.isEmpty, position == stretch.positions.lowerBound,
                    let first = try stretch.narrowed(from: nil as Day?, to: nil as Day?, in: trees)
                        .positions.nonEmpty?.lowerBound, first > position
                else { break }
                position = first
                continue
            }
            let (first, last) = unit.days(around: day)
            let group = try stretch.narrowed(from: first, to: last, in: trees)
            guard group.positions.upperBound > position else {
                throw .damaged("The order \(stretch.order.name) of \(stretch.kind.name) is not in order.")
            }
            groups.append((first, with(group)))
            position = group.positions.upperBound
        }
        return groups
    }

    // MARK: Pieces

    private func positions(_ rows: Range<Int>) -> Range<Int> {
        let start = known?.positions.lowerBound ?? 0
        return start + rows.lowerBound..<start + rows.upperBound
    }

    private func checked(_ row: Int) throws(LibraryError) -> Int {
        guard (0..<count).contains(row) else { throw noRow(row) }
        return row
    }

    private func noRow(_ row: Int) -> LibraryError {
        .invalidArgument("The list has \(count) rows, and no row \(row).")
    }
}

extension OrderedRecords: Sendable where Trees: Sendable {}

/// Within a transaction a list ends with the next change, so it is read by pages there.
extension OrderedRecords: Sequence where Trees == Version {
    public func makeIterator() -> Iterator { Iterator(list: self) }

    public var underestimatedCount: Int { 0 }

    /// Finds some identifiers at a time and reads one record at a time.
    public struct Iterator: IteratorProtocol {
        fileprivate let list: OrderedRecords
        private var offset = 0
        private var identifiers: ArraySlice<ID<Value>> = []

        fileprivate init(list: OrderedRecords) { self.list = list }

        public mutating func next() -> Value? {
            while true {
                if identifiers.isEmpty {
                    guard offset < list.count else { return nil }
                    identifiers = ((try? list.identifiers(offset: offset, limit: pieceCount)) ?? [])[...]
                    offset += pieceCount
                }
                while let id = identifiers.popFirst() {
                    if let record = try? list.trees.appRecord(id, RecordKind<Value>.current) { return record }
                }
            }
        }
    }
}

extension Range<Int> {
    fileprivate var nonEmpty: Range<Int>? { isEmpty ? nil : self }
}
