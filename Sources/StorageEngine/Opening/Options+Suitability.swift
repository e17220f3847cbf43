extension Options {
    /// Throws why this process cannot go on with a version of the store that another has made.
    func requireSuitable(_ version: Version, declared: [TreeDeclaration]) throws(StorageError) {
        for declaration in declared {
            if let known = version.declaration(of: declaration.number), known != declaration {
                throw WriteState.contradiction(known, declaration)
            }
        }
        _ = try admit(version)
    }
}
