extension Version {
    /// Walks every tree and reports what does not hold. Reads every page: for tests and `verify`.
    public func invariantFindings() -> [TreeFinding] {
        declarations.flatMap { declaration in
            var walk = generation.file.walk(declaration)
            walk.walk(trees.root(of: declaration.number))
            return walk.findings
        }
    }
}
