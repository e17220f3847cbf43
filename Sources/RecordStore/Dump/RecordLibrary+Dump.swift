import StorageEngine

/// What of a library's files to show.
package enum DumpPart: Sendable, Equatable {
    /// The superblocks of every snapshot file and the header of every log segment.
    case header
    /// A page of the snapshot file; 0 is the superblock.
    case page(Int)
    /// A page by its place in a tree: the `index`-th of its level from the left, from 0. Level 0, the leaves, when none is
    /// given; the root when there is no index either.
    case node(tree: String, level: Int?, index: Int?)
    /// Everything stored under an identifier.
    case record(UInt64)
    /// The log, or one commit of it.
    case log(commit: UInt64?)
}

/// Whether it was there, and how much of it does not fit the format.
package typealias DumpOutcome = StoreDump.Outcome

extension RecordLibrary {
    /// Shows the bytes of a part of a library, each with what it means, a line at a time. Opens nothing, takes no lock
    /// and changes nothing; works on damaged libraries, and says what does not fit in lines that begin with ✗.
    ///
    /// - Throws: what opening the files throws. Damage is no error here but part of the answer.
    package static func dump(
        _ part: DumpPart, of path: String, _ emit: @escaping (String) -> Void
    ) throws(LibraryError) -> DumpOutcome {
        try dump(part, of: path, fileSystem: PosixFileSystem(), emit)
    }

    static func dump(
        _ part: DumpPart, of path: String, fileSystem: any FileSystem, _ emit: @escaping (String) -> Void
    ) throws(LibraryError) -> DumpOutcome {
        try translatingErrors {
            let store = try StoreDump(at: path, fileSystem: fileSystem)
            switch part {
            case .header: return try store.header(emit)
            case .page(let number): return try store.page(number, emit)
            case .node(let tree, let level, let index): return try store.node(tree, level: level, index: index, emit)
            case .log(let commit): return try store.log(commit: commit, emit)
            case .record(let identifier):
                var finder = RecordFinder(store, emit)
                let name = ID<AppRecord>(rawValue: identifier).description
                try contents.dump(identifier, &finder)
                try finder.showDeclared(identifier, name)
                return try finder.finish(path, name)
            }
        }
    }
}
