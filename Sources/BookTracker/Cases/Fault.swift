/// Something that goes wrong with the files of a library.
protocol Fault: Sendable {
    var title: String { get }

    /// Opens the library and changes what has to be changed before the fault.
    func prepare(_ copy: LibraryCopy) async throws

    /// Changes bytes of a library that is closed.
    ///
    /// - Returns: what was changed, as a sentence.
    func inject(into copy: LibraryCopy) throws -> String

    /// Whether a launch showed the fault as it must.
    func isShown(by findings: Findings) -> Bool
}

extension Fault {
    func prepare(_ copy: LibraryCopy) async throws {}
}
