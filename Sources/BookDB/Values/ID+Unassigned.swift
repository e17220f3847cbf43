extension BookDB.ID {
    /// Throws where a record that is to be inserted has an identifier: it is in the library, was deleted, or is another library's.
    ///
    /// - Parameters:
    ///   - name: what the record is called at the beginning of a sentence.
    ///   - mayBeUpdated: whether whoever inserts could update it instead.
    func requireUnassigned(_ name: @autoclosure () -> String, mayBeUpdated: Bool) throws(LibraryError) {
        guard isAssigned else { return }
        let step = mayBeUpdated ? "update it, or insert" : "insert"
        throw .duplicate("\(name()) has the identifier \(self) already: \(step) its withoutID as a new one.")
    }
}
