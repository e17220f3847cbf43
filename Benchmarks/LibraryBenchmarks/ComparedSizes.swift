import StorageEngine

/// Where the bytes of both libraries are after a compaction.
struct ComparedSizes {
    struct Library {
        /// Of the snapshot file alone: neither the search file nor the log.
        let byteCount: Int
        let trees: [StoreInspection.TreeStatistics]

        init(at path: String) throws {
            let inspection = try StoreInspection(at: path)
            byteCount = inspection.files.filter { $0.role == .snapshot }.reduce(0) { $0 + $1.byteCount }
            trees = inspection.trees.filter { $0.entryCount > 0 }
        }
    }

    let books: Library
    let declared: Library

    init(folder: String) throws {
        books = try Library(at: ComparedLibraries.booksPath(in: folder))
        declared = try Library(at: ComparedLibraries.declaredPath(in: folder))
    }

    /// No declaration makes match keys.
    var booksWithoutMatchKeys: Int {
        books.byteCount
            - books.trees.filter { $0.declaration.name == "match-keys" }.reduce(0) { $0 + $1.pageByteCount }
    }

    func printTrees(works: Int) {
        print("| library | tree | entries | bytes a work | of a key | of a value |")
        print("|---|---|---:|---:|---:|---:|")
        for (name, library) in [("books", books), ("declared", declared)] {
            for tree in library.trees.sorted(by: { $0.pageByteCount > $1.pageByteCount }) {
                let cells = [
                    (tree.pageByteCount, works), (tree.keyByteCount, tree.entryCount),
                    (tree.valueByteCount, tree.entryCount),
                ].map { DeclaredBenchmark.decimal(Double($0) / Double($1), 1) }
                print(
                    "| \(name) | \(tree.declaration.name) | \(tree.entryCount) | "
                        + cells.joined(separator: " | ") + " |")
            }
        }
    }
}
