import StorageEngine

/// Reading trees, with errors in the library's words: the same for a snapshot and within a transaction.
extension TreeReadable where Self: ~Copyable {
    @inlinable package func count(of tree: TreeNumber, facet: Facet? = nil) throws(LibraryError) -> Int {
        return try translatingErrors { try count(in: tree, facet: facet) }
    }

    @inlinable package func position(of key: [UInt8], in tree: TreeNumber, facet: Facet?) throws(LibraryError) -> Int {
        return try translatingErrors { try lowerBound(of: key, in: tree, facet: facet) }
    }

    /// The positions of the keys from `start` up to `end`, which is not among them; to the end of the tree where that is `nil`.
    package func positions(
        of tree: TreeNumber, _ facet: Facet? = nil, from start: [UInt8], to end: [UInt8]?
    ) throws(LibraryError) -> Range<Int> {
        let lower = try position(of: start, in: tree, facet: facet)
        guard let end else { return lower..<max(lower, try count(of: tree, facet: facet)) }
        return lower..<max(lower, try position(of: end, in: tree, facet: facet))
    }

    /// The key at a position of a tree, or of one of its facets.
    func key(at position: Int, in tree: TreeNumber, facet: Facet? = nil) throws(LibraryError) -> [UInt8] {
        var key: [UInt8] = []
        try translatingErrors {
            try scan(tree, facet: facet, positions: position..<position + 1) { found, _ in
                key = found.copyBytes(0..<found.byteCount)
                return false
            }
        }
        return key
    }

    @inlinable package func stored<Value>(
        _ key: [UInt8], in tree: TreeNumber, _ body: (RawSpan) -> Value
    ) throws(LibraryError) -> Value? {
        return try translatingErrors { try value(forKey: key, in: tree, body) }
    }

    /// Entries under a prefix whose keys have the one right length; others belong to a longer prefix.
    @inlinable package func scanKeys(
        _ tree: TreeNumber, prefix: [UInt8], byteCount: Int, _ body: (_ key: RawSpan, _ value: RawSpan) -> Bool
    ) throws(LibraryError) {
        try translatingErrors {
            try scan(tree, prefix: prefix) { key, value in key.byteCount == byteCount ? body(key, value) : true }
        }
    }

    @inlinable package func record<Record>(
        _ key: UInt64, in tree: TreeNumber, named name: @autoclosure () -> String,
        _ decode: (RawSpan) throws(RecordProblem) -> Record
    ) throws(LibraryError) -> Record? {
        do {
            let result = try value(forKey: key, in: tree) { Result(decoding: $0, decode) }
            return try result?.record(named: name())
        } catch let error as StorageError {
            throw LibraryError(error)
        } catch let error as LibraryError {
            throw error
        } catch {
            preconditionFailure("reading throws an error of the engine or of the library")
        }
    }

    @inlinable package func record<Record>(
        _ key: [UInt8], in tree: TreeNumber, named name: @autoclosure () -> String,
        _ decode: (RawSpan) throws(RecordProblem) -> Record
    ) throws(LibraryError) -> Record? {
        try stored(key, in: tree) { Result(decoding: $0, decode) }?.record(named: name())
    }
}

extension Result where Failure == RecordProblem {
    @inlinable package init(decoding bytes: RawSpan, _ decode: (RawSpan) throws(RecordProblem) -> Success) {
        do {
            self = .success(try decode(bytes))
        } catch {
            self = .failure(error)
        }
    }

    @inlinable package func record(named name: @autoclosure () -> String) throws(LibraryError) -> Success {
        switch self {
        case .success(let record): return record
        case .failure(let problem): throw .damagedRecord(name(), problem.description)
        }
    }
}

extension LibraryError {
    @usableFromInline package static func damagedRecord(_ name: String, _ problem: String) -> LibraryError {
        .damaged("\(name) cannot be read: \(problem).")
    }

    /// Why a record cannot be read as one of a type: the record is damaged, or it is well and the type is too narrow for what another version wrote.
    static func unreadable(_ record: String, _ problem: RecordProblem) -> LibraryError {
        guard case .number(let number, let type, let name)? = problem.misfit else {
            return .damagedRecord(record, problem.description)
        }
        let field = name.map { "The field “\($0)”" } ?? "A field"
        let wide = number.first == "-" || !type.hasPrefix("U") ? "Int" : "UInt"
        return .schemaMismatch(
            "\(field) of \(record) is \(number), for which its type \(type) has no room. Give it a type as wide as the one it was "
                + "written with, such as \(wide).")
    }
}
