/// Records of the app are saved as they are: what they mean is the app's to know. Their indexes are left behind, and made anew when
/// the app next writes.
extension LibraryRepair {
    mutating func noteAppRecords() throws(BookError) {
        var records = RecordIterator(database.version, LibraryTree.appRecords)
        while let (key, _) = try records.nextEntry() {
            if let (_, id) = AppRecordKey.parts(key) { identifiers.note(ID<AppRecord>(rawValue: id)) }
        }
    }
}
