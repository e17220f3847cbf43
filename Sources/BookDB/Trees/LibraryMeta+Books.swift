import Filing
import RecordStore
import StorageEngine

extension LibraryMeta {
    /// The rules by which the filing keys are made, and above the lowest 16 bits the layout of the rows. When either changes, the lists
    /// are made anew.
    static let filingRulesOfBooks = WorkListRow.Layout.version << 16 | UInt64(TitleKey.ruleVersion)

    /// Of the rows that the library has; 0 where it has none.
    var rowLayout: UInt64 { filingRules >> 16 }

    var isFiledAsNow: Bool { isDerived(by: Self.filingRulesOfBooks) }
}
