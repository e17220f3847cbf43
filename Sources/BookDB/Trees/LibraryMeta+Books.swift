import Filing
import RecordStore
import StorageEngine

extension LibraryMeta {
    /// The layout of the rows, and by what rules keys are made: those of languages and numbers of volumes (`LanguageCode`, `SeriesNumber`), and in the
    /// lowest eight bits those of titles and names. When one of them changes, the lists are made anew.
    static let filingRulesOfBooks = WorkListRow.Layout.version << 16 | 1 << 8 | UInt64(TitleKey.ruleVersion)

    /// Of the rows that the library has; 0 where it has none.
    var rowLayout: UInt64 { filingRules >> 16 }

    var isFiledAsNow: Bool { isDerived(by: Self.filingRulesOfBooks) }
}
