import StorageEngine

/// The fields of a kind that rows were asked for before some row was made: most look-ups find theirs here, without a lock.
///
/// Safe because a path that is the same object leads to the same type of field, which its reader was made for.
struct KnownFields: Sendable {
    struct Field: Sendable {
        /// Kept, so that no other path can come to lie where it lies.
        let path: AnyKeyPath & Sendable
        let reader: any AnyObject & Sendable
    }

    private let fields: [Field]
    private let origin: Origin

    /// The fields that rows of a kind were ever asked for. Paths are literals of a program as a rule, so there are few.
    final class Origin: Sendable {
        private let fields = Lock<[Field]>([])

        /// Paths that a program puts together anew each time are not kept beyond these.
        private static let maximumCount = 256

        var known: KnownFields { KnownFields(fields: fields.withLock { $0 }, origin: self) }

        func add(_ field: Field) {
            fields.withLock { fields in
                if fields.count < Self.maximumCount { fields.append(field) }
            }
        }
    }

    func reader<Value: Record, Content: Decodable>(
        of path: KeyPath<Value, Content> & Sendable
    ) -> FieldReader<Content> {
        if let reader = met(path) { return unsafe unsafeDowncast(reader, to: FieldReader<Content>.self) }
        if let reader = origin.known.met(path) { return unsafe unsafeDowncast(reader, to: FieldReader<Content>.self) }
        let reader = FieldReader<Content>.reader(of: path)
        origin.add(Field(path: path, reader: reader))
        return reader
    }

    private func met(_ path: AnyKeyPath) -> AnyObject? {
        for field in fields where field.path === path { return field.reader }
        return nil
    }
}
