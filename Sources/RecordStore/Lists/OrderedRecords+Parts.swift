/// Sums of a field of the elements of a list, as `.sum(each: \.parts, \.amount)` declares them: what the methods without `each` do for a
/// field of the record itself.
extension OrderedRecords {
    /// The exact sum of what the elements come to that give the list its places.
    ///
    /// - Throws: as the other.
    public func sum<Part: RecordPart, Field: Summable>(
        each list: KeyPath<Value, [Part]>, _ field: KeyPath<Part, Field>
    ) throws(LibraryError) -> Field.Sum {
        try sum(SummedField(each: list, field), 0..<count)
    }

    /// What the elements of each of some rows come to there: of a payment in the list of a category, its parts of that category.
    ///
    /// - Throws: as the other.
    public func amounts<Part: RecordPart, Field: Summable>(
        each list: KeyPath<Value, [Part]>, _ field: KeyPath<Part, Field>, offset: Int = 0, limit: Int
    ) throws(LibraryError) -> [Field.Sum?] {
        try amounts(SummedField(each: list, field), offset, limit)
    }

    /// The sum up to and with a row, from the oldest row on.
    ///
    /// - Throws: as the other.
    public func runningSum<Part: RecordPart, Field: Summable>(
        each list: KeyPath<Value, [Part]>, _ field: KeyPath<Part, Field>, at row: Int
    ) throws(LibraryError) -> Field.Sum {
        try runningSum(SummedField(each: list, field), row)
    }

    /// The first row behind which the sum, from the first row on, is at least `limit`; `nil` when it never is.
    public func row<Part: RecordPart, Field: Summable>(
        whereSumOfEach list: KeyPath<Value, [Part]>, _ field: KeyPath<Part, Field>, isAtLeast limit: Field.Sum
    ) throws(LibraryError) -> Int? {
        try row(SummedField(each: list, field), limit, isAtMost: false)
    }

    /// The first row behind which the sum, from the first row on, is at most `limit`; `nil` when it never is.
    public func row<Part: RecordPart, Field: Summable>(
        whereSumOfEach list: KeyPath<Value, [Part]>, _ field: KeyPath<Part, Field>, isAtMost limit: Field.Sum
    ) throws(LibraryError) -> Int? {
        try row(SummedField(each: list, field), limit, isAtMost: true)
    }

    /// The least and the greatest amount of a row; `nil` when no record of the list has one.
    public func bounds<Part: RecordPart, Field: Summable>(
        each list: KeyPath<Value, [Part]>, _ field: KeyPath<Part, Field>
    ) throws(LibraryError) -> (least: Field.Sum, greatest: Field.Sum)? {
        try bounds(SummedField(each: list, field))
    }
}
