/// Why bytes are not a record, as the end of a sentence that begins with which record.
@usableFromInline package struct RecordProblem: Error, Equatable {
    @usableFromInline package let description: String

    @usableFromInline package init(_ description: String) { self.description = description }

    @usableFromInline package init(_ description: String, at byteOffset: Int) {
        self.description = "\(description) (byte \(byteOffset) of the record)"
    }
}
