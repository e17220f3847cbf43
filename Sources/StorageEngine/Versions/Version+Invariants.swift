extension Version {
    /// Walks every tree and reports what does not hold. Reads every page: for tests and `verify`.
    public func invariantFindings() -> [TreeFinding] {
        let superblock = generation.file.superblock
        return declarations.flatMap { declaration in
            var walk = TreeWalk(
                pages: generation.file.pages, declaration: declaration,
                seal: PageSeal(store: superblock.store, generation: superblock.generation, tree: declaration.number))
            walk.walk(trees.root(of: declaration.number))
            return walk.findings
        }
    }
}
