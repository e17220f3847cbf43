/// The rows of the tables, in their order: that of the books, that of a launch, then that of a ledger.
enum Workload: String, Codable, CaseIterable, Sendable {
    case openCached, openNewProcess, openEvicted, openWritingCached, openWritingNewProcess, openWritingEvicted
    case firstPage, middlePage, cursorPage, prefixPage, statusPage, statusMiddle, statusCounts
    case search0, search1, search2, search3, search4, search5, search6, searchCount
    case rankedSearch0, rankedSearch1, rankedSearch2
    case fullWork
    case insert, concurrentInserts, rename
    case uncachedSearch, uncachedPage, uncachedWork, uncachedInsert, uncachedRename
    case sessionInsert, sessionPage, sessionSum, sessionFilter
    case importRate, importMemory, importResident
    case idlePage, pageBesideCommits, pageDuringImport
    case diskBytes, compaction, pageDuringCompaction
    case scrollMemory
    case recovery
    case launchCall, launchRows, launchCounts, launchSearch, launchWhole, launchReady
    case ledgerInsertAll, ledgerInsertThousand, ledgerEdit
    case ledgerBalance, ledgerBalanceNow, ledgerBalanceSince, ledgerRunningSum, ledgerSumReached, ledgerMonths
    case ledgerLines, ledgerNamedLines, ledgerMiddleLines, ledgerRecords, ledgerRecordsAnywhere
    case ledgerFilter, ledgerConditions, ledgerCondition, ledgerSearch, ledgerTypo

    static let searches: [Workload] = [.search0, .search1, .search2, .search3, .search4, .search5, .search6]
    static let rankedSearches: [Workload] = [.rankedSearch0, .rankedSearch1, .rankedSearch2]

    var title: String {
        switch self {
        case .openCached: "open to read → first 50 rows, again and again"
        case .openNewProcess: "open to read → first 50 rows, new process, file cached"
        case .openEvicted: "open to read → first 50 rows, new process, file not cached"
        case .openWritingCached: "open to write → first 50 rows, again and again"
        case .openWritingNewProcess: "open to write → first 50 rows, new process, file cached"
        case .openWritingEvicted: "open to write → first 50 rows, new process, file not cached"
        case .firstPage: "first 50 rows"
        case .middlePage: "50 rows at offset N/2"
        case .cursorPage: "50 rows after a cursor"
        case .prefixPage: "first 50 rows of a title prefix"
        case .statusPage: "one status in title order, 50 rows"
        case .statusMiddle: "one status, 50 rows at its middle"
        case .statusCounts: "counts of every status"
        case .search0, .search1, .search2, .search3, .search4, .search5, .search6:
            "“\(Plan.needles[Self.searches.firstIndex(of: self) ?? 0])” anywhere, first 50"
        case .rankedSearch0, .rankedSearch1, .rankedSearch2:
            "“\(Plan.rankedNeedles[Self.rankedSearches.firstIndex(of: self) ?? 0])”, the best 50"
        case .searchCount: "count of “\(Plan.counted)”"
        case .fullWork: "one work with authors, editions, entry"
        case .insert: "durable insert of one work"
        case .concurrentInserts: "durable inserts, 64 writers"
        case .rename: "change one title, durable"
        case .uncachedSearch: "“\(Plan.needles[1])” anywhere, first 50, file not cached"
        case .uncachedPage: "50 rows after a cursor, file not cached"
        case .uncachedWork: "one work with authors, editions, entry, file not cached"
        case .uncachedInsert: "durable insert of one work, file not cached"
        case .uncachedRename: "change one title, durable, file not cached"
        case .importRate: "import of all works"
        case .sessionInsert: "durable insert of an app's record"
        case .sessionPage: "50 of an app's records by an index, at its middle"
        case .sessionSum: "sum over a tenth of an app's records by an index"
        case .sessionFilter: "an app's records by a field without an index"
        case .importMemory: "peak memory of the import, of no file"
        case .importResident: "peak memory of the import, resident"
        case .idlePage: "50 rows after a cursor, twice a millisecond"
        case .pageBesideCommits: "the same beside durable commits"
        case .pageDuringImport: "the same during an import"
        case .diskBytes: "disk, compacted"
        case .compaction: "compaction"
        case .pageDuringCompaction: "50 rows after a cursor during it"
        case .scrollMemory: "memory: open, scroll 1,000 pages"
        case .recovery: "open after a crash → first 50 rows"
        case .launchCall: "the call holds the main thread"
        case .launchRows: "first 50 rows after it"
        case .launchCounts: "counts of every status"
        case .launchSearch: "“\(Plan.counted)” anywhere, first 50"
        case .launchWhole: "all four"
        case .launchReady: "all there"
        case .ledgerInsertAll: "all inserted in one commit"
        case .ledgerInsertThousand: "1,000 inserted in one durable commit"
        case .ledgerEdit: "one edit, durable"
        case .ledgerBalance: "balance of an account, its list at hand"
        case .ledgerBalanceNow: "the same as of now: snapshot, list and all"
        case .ledgerBalanceSince: "balance since a day"
        case .ledgerRunningSum: "running sum at a row"
        case .ledgerSumReached: "row where the sum reaches an amount"
        case .ledgerMonths: "months of a statement, each with count and sum"
        case .ledgerLines: "newest fifty, four fields of each"
        case .ledgerNamedLines: "the same with the name of the account of each"
        case .ledgerMiddleLines: "fifty by identifier at the middle, four fields of each"
        case .ledgerRecords: "newest fifty, whole records"
        case .ledgerRecordsAnywhere: "fifty at a random offset, whole records"
        case .ledgerFilter: "a filter of two fields without an order"
        case .ledgerConditions: "the same as conditions, by the shortest list"
        case .ledgerCondition: "a condition on a field without an order"
        case .ledgerSearch: "a search for “\(LedgerPlan.words)”, how many"
        case .ledgerTypo: "a search for “\(LedgerPlan.mistypedWords)”, how many"
        }
    }

    var unit: MeasuredUnit {
        switch self {
        case .concurrentInserts, .importRate: .perSecond
        case .importMemory, .importResident, .scrollMemory: .kilobytes
        case .diskBytes: .bytesPerWork
        default: .nanoseconds
        }
    }

    /// Whether the median is all there is to say.
    var isSingleFigure: Bool { unit != .nanoseconds || self == .compaction || self == .recovery }
}
