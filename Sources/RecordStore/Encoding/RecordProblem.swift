/// Why bytes are not a record, as the end of a sentence that begins with which record.
@usableFromInline package struct RecordProblem: Error, Equatable {
    @usableFromInline package let description: String

    /// Where the bytes are a record, and a type of the app is too narrow for it.
    private(set) var misfit: Misfit?

    /// A number that a type has no room for, and the name of its field, where that is known. Indirect, for every look at a field may throw a problem, and
    /// few are of this sort.
    indirect enum Misfit: Equatable {
        case number(String, type: String, field: String?)
    }

    @usableFromInline package init(_ description: String) { self.description = description }

    @usableFromInline package init(_ description: String, at byteOffset: Int) {
        self.description = "\(description) (byte \(byteOffset) of the record)"
    }

    /// Of a number that another version of the app wrote as one of a wider type.
    init(_ number: some FixedWidthInteger, tooLargeFor type: any FixedWidthInteger.Type) {
        description = "\(number) is out of range"
        misfit = .number("\(number)", type: "\(type)", field: nil)
    }

    /// The same of a field, or of one that it lies in: elements, keys of a dictionary and what a type holds of another have names that nobody looks for.
    func of(field name: @autoclosure () -> String?) -> RecordProblem {
        guard case .number(let number, let type, let inner)? = misfit else { return self }
        var problem = self
        problem.misfit = .number(number, type: type, field: name().flatMap { $0.isEmpty ? nil : $0 } ?? inner)
        return problem
    }
}
