import StorageEngine

extension Records {
    /// The records that have what was typed in some fields, the best first. Words may come in any
    /// order, each may be anywhere, case, accents and punctuation do not count, and when little matches as typed, typos are forgiven.
    ///
    /// ```swift
    /// let found = try snapshot.records(Transfer.self).search("rent", in: \.note)
    /// for match in found.matches { print(try match.date, try match.note) }
    /// ```
    ///
    /// The first field counts as the title; fields may be texts, optional texts and lists of texts. Every record is looked at, some
    /// 0.2 microseconds each; within a transaction and in an order it is the same call. A record that cannot be read is left out.
    ///
    /// - Parameters:
    ///   - text: what was typed. Its first 1,024 bytes are looked for, up to 64 words; what comes behind them is not, and no match says that it is missing.
    ///   - matching: `.beginnings` finds words by how they begin, and not by what is within them.
    ///   - forgiving: whether typos, words run together and words that no record has are forgiven when little matches as typed.
    /// - Throws: `LibraryError.cancelled` when the task is cancelled; `.invalidArgument` for a negative limit.
    public func search<each Text: SearchedText>(
        _ text: String, in field: repeat KeyPath<Value, each Text> & Sendable, limit: Int = 50,
        matching: WordMatching = .anywhere, forgiving: Bool = true
    ) throws(LibraryError) -> RecordSearch<Value> {
        let kind = RecordKind<Value>.current
        try version.check(kind)
        let run = RecordSearchRun(
            SearchQuery(text, matching, isForgiving: forgiving), in: repeat each field)
        return try run.first(limit, Value.self) { (body) throws(LibraryError) in
            try kind.schema.scan(kind.positions(in: version), in: version, body)
        }
    }
}

extension TransactionRecords {
    /// The same over what the transaction has written so far.
    public func search<each Text: SearchedText>(
        _ text: String, in field: repeat KeyPath<Value, each Text> & Sendable, limit: Int = 50,
        matching: WordMatching = .anywhere, forgiving: Bool = true
    ) throws(LibraryError) -> RecordSearch<Value> {
        let kind = RecordKind<Value>.current
        try trees.check(kind)
        let run = RecordSearchRun(
            SearchQuery(text, matching, isForgiving: forgiving), in: repeat each field)
        return try run.first(limit, Value.self) { (body) throws(LibraryError) in
            try kind.schema.scan(kind.positions(in: trees), in: trees, body)
        }
    }
}

extension OrderedRecords {
    /// The records of the list that have what was typed in some fields: the best first, and of the same band in the list's order. One that
    /// has several places in the list is found once, at its first. See `Records.search`.
    ///
    /// - Throws: as that, and `LibraryError.damaged` when a record of the list is not there.
    public func search<each Text: SearchedText>(
        _ text: String, in field: repeat KeyPath<Value, each Text> & Sendable, limit: Int = 50,
        matching: WordMatching = .anywhere, forgiving: Bool = true
    ) throws(LibraryError) -> RecordSearch<Value> {
        let run = RecordSearchRun(
            SearchQuery(text, matching, isForgiving: forgiving), in: repeat each field)
        return try run.first(limit, Value.self) { (body) throws(LibraryError) in try forEachRecord(body) }
    }

    /// Each record of the list once, until `body` returns false.
    private func forEachRecord(_ body: (UInt64, RawSpan) -> Bool) throws(LibraryError) {
        let isOfEvery = known?.order.declaration.isOfEveryRecord != false
        var met: Set<UInt64> = []
        try forEachRow { row in
            guard isOfEvery || met.insert(row.id.rawValue).inserted else { return true }
            return row.withBytes { body(row.id.rawValue, $0) }
        }
    }
}

extension RecordSearchRun {
    /// - Parameter field: as `Records.search` has them.
    fileprivate init<Value: Record, each Text: SearchedText>(
        _ query: SearchQuery, in field: repeat KeyPath<Value, each Text> & Sendable
    ) {
        var fields: [SearchedField] = []
        for field in repeat each field { fields.append(SearchedField(field)) }
        self.init(query, in: fields)
    }
}
