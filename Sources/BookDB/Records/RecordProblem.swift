/// Why bytes are not a record, as the end of a sentence that begins with which record.
struct RecordProblem: Error, Equatable {
    let description: String

    init(_ description: String) { self.description = description }

    init(_ description: String, at byteOffset: Int) {
        self.description = "\(description) (byte \(byteOffset) of the record)"
    }
}
