import StorageEngine

/// What a salvage gives, put together.
struct SalvagedContents {
    var trees: [TreeNumber: [[UInt8]: [UInt8]]] = [:]
    /// Keys whose cold values are lost.
    var lostValues: [TreeNumber: Set<[UInt8]>] = [:]
    var commits: [UInt64] = []

    func numbers(in tree: TreeNumber) -> Set<UInt64> {
        Set((trees[tree] ?? [:]).keys.map { $0.reduce(0) { $0 << 8 | UInt64($1) } })
    }
}

extension Salvage {
    /// Every entry of the snapshot, and on top of them every commit.
    func contents(_ numbers: [TreeNumber]) throws -> SalvagedContents {
        var contents = SalvagedContents()
        for tree in numbers {
            var entries = entries(in: tree)
            var found: [[UInt8]: [UInt8]] = [:]
            var lost: Set<[UInt8]> = []
            while let entry = try entries.next() {
                if let value = entry.value { found[entry.key] = value } else { lost.insert(entry.key) }
            }
            contents.trees[tree] = found
            contents.lostValues[tree] = lost
        }
        var commits = commits()
        while let commit = try commits.nextCommit() {
            contents.commits.append(commit.number)
            try commit.forEachOperation(in: Set(numbers)) { (operation) throws(StorageError) in
                switch operation {
                case .put(let tree, let key, _, let value):
                    contents.trees[tree]?[key] = value
                    contents.lostValues[tree]?.remove(key)
                case .remove(let tree, let key): contents.trees[tree]?[key] = nil
                case .removeAll(let tree): contents.trees[tree] = [:]
                }
            }
        }
        return contents
    }
}

extension MemoryFileSystem {
    /// The same files once more.
    func copy(of directory: String) throws -> MemoryFileSystem {
        let copy = MemoryFileSystem()
        copy.createDirectory(directory)
        for name in try names(inDirectory: directory) {
            try copy.replace(directory + "/" + name, with: bytes(of: directory + "/" + name))
        }
        return copy
    }
}
