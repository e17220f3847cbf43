import StorageEngine

/// The fields of a kind that rows were asked for before some row was made: most look-ups find theirs here, without a lock.
///
/// Safe because equal paths lead to the same type of field, which the reader was made for.
final class KnownFields: Sendable {
    struct Field: Sendable {
        /// Kept, so that no other path can come to lie where it lies.
        let path: AnyKeyPath & Sendable
        let reader: any AnyObject & Sendable
    }

    private let fields: [Field]
    /// Of their paths, which are compared for every field of a row: to look at the paths themselves would count references to each.
    private let paths: [ObjectIdentifier]
    private let origin: Origin

    private init(fields: [Field], origin: Origin) {
        self.fields = fields
        paths = fields.map { ObjectIdentifier($0.path) }
        self.origin = origin
    }

    /// The fields of a kind that rows were ever asked for.
    final class Origin: Sendable {
        private struct State {
            /// Each once, by what it leads to.
            var readers: [AnyKeyPath: any AnyObject & Sendable] = [:]
            /// Literals of the program, which are the same object each time.
            var fields: [Field] = []
        }

        private let state = Lock(State())

        /// Paths that a program makes again each time are looked up by what they lead to.
        private static let maximumCount = 64

        var known: KnownFields { KnownFields(fields: state.withLock { $0.fields }, origin: self) }

        func reader(of path: AnyKeyPath & Sendable) -> (any AnyObject & Sendable)? {
            state.withLock { state in
                guard let reader = state.readers[path] else { return nil }
                // The rows of a page ask before any of them knows the answer.
                if state.fields.count < Self.maximumCount, !state.fields.contains(where: { $0.path === path }) {
                    state.fields.append(Field(path: path, reader: reader))
                }
                return reader
            }
        }

        func add(_ path: AnyKeyPath & Sendable, _ reader: any AnyObject & Sendable) {
            state.withLock { $0.readers[path] = reader }
        }
    }

    func reader<Value: Record, Content: Decodable>(
        of path: KeyPath<Value, Content> & Sendable
    ) -> FieldReader<Content> {
        if let reader = met(path) ?? origin.reader(of: path) {
            // Safe because equal paths lead to the same type of field, which the reader was made for.
            return unsafe unsafeDowncast(reader, to: FieldReader<Content>.self)
        }
        let reader = FieldReader<Content>.reader(of: path)
        origin.add(path, reader)
        return reader
    }

    private func met(_ path: AnyKeyPath) -> AnyObject? {
        let path = ObjectIdentifier(path)
        for index in paths.indices where paths[index] == path { return fields[index].reader }
        return nil
    }
}
