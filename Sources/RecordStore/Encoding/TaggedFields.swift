import StorageEngine

/// Where a value lies within the bytes of a record, or that it is not there.
enum TaggedPlace {
    case missing
    case number(UInt64)
    case bytes(Range<Int>)

    init(_ content: RecordField.Content) {
        switch content {
        case .number(let number): self = .number(number)
        case .bytes(let range): self = .bytes(range)
        }
    }

    /// - Parameter start: where the record begins within other bytes.
    init(_ content: RecordField.Content, from start: Int) {
        switch content {
        case .number(let number): self = .number(number)
        case .bytes(let range): self = .bytes(start + range.lowerBound..<start + range.upperBound)
        }
    }

    var isMissing: Bool {
        if case .missing = self { true } else { false }
    }
}

/// Walks the fields of a record that lies within other bytes. Nothing is copied and nothing is kept, so that a record costs no
/// more memory than the app's type for it.
package struct TaggedWalk {
    let bytes: [UInt8]
    let range: Range<Int>
    private var cursor = RecordCursor()

    /// Behind the field given out last, from the beginning of the record.
    private(set) var byteOffset = 0

    init(_ bytes: [UInt8], _ range: Range<Int>) {
        self.bytes = bytes
        self.range = range
    }

    /// Why bytes are not the fields of a record; `nil` when they are, whatever those mean.
    package static func problem(in bytes: [UInt8]) -> RecordProblem? {
        var walk = TaggedWalk(bytes, 0..<bytes.count)
        do throws(RecordProblem) {
            while try walk.next() != nil {}
            return nil
        } catch {
            return error
        }
    }

    /// Where a field of a record lies, read up to it. Of one that is there twice the last counts.
    static func place(ofTag tag: UInt32, in bytes: [UInt8]) throws(RecordProblem) -> TaggedPlace {
        try place(ofTag: tag, in: RecordBytes(bytes))
    }

    /// The same of one among others, as a place within the bytes of all.
    static func place(ofTag tag: UInt32, in record: RecordBytes) throws(RecordProblem) -> TaggedPlace {
        let range = record.range
        return try record.bytes.withBytes { (bytes) throws(RecordProblem) in
            try place(ofTag: tag, in: bytes.extracting(range), from: range.lowerBound)
        }
    }

    /// The same of a record that is lent.
    ///
    /// - Parameter start: where the record begins in the bytes that the place is to be of.
    static func place(
        ofTag tag: UInt32, in record: RawSpan, from start: Int = 0
    ) throws(RecordProblem) -> TaggedPlace {
        var cursor = RecordCursor()
        cursor.skip(to: tag, in: record)
        var place = TaggedPlace.missing
        while let field = try cursor.next(in: record), field.tag <= tag {
            if field.tag == tag { place = TaggedPlace(field.content, from: start) }
        }
        return place
    }

    mutating func next() throws(RecordProblem) -> (tag: UInt32, place: TaggedPlace)? {
        let range = range
        let field = try bytes.withBytes { (bytes) throws(RecordProblem) in
            try cursor.next(in: bytes.extracting(range))
        }
        guard let field else { return nil }
        byteOffset = field.range.upperBound
        return (field.tag, TaggedPlace(field.content, from: range.lowerBound))
    }
}

/// Finds the fields of a record by tag and by name. Fields asked for in ascending order are found in one walk.
struct TaggedFields {
    private let bytes: [UInt8]
    private let range: Range<Int>
    private var walk: TaggedWalk
    private var current: (tag: UInt32, place: TaggedPlace)?
    private var last: (tag: UInt32, place: TaggedPlace) = (0, .missing)
    private var names: [String: TaggedPlace]?

    init(_ bytes: [UInt8], _ range: Range<Int>) {
        self.bytes = bytes
        self.range = range
        walk = TaggedWalk(bytes, range)
    }

    mutating func place(ofTag tag: UInt32) throws(RecordProblem) -> TaggedPlace {
        if tag == last.tag { return last.place }
        if tag < last.tag {
            walk = TaggedWalk(bytes, range)
            current = nil
        }
        var place = TaggedPlace.missing
        while true {
            // Where this throws nothing is known of the field, and who asks again is told again.
            if current == nil { current = try walk.next() }
            guard let field = current, field.tag <= tag else { break }
            // Of a field that is there twice the last counts.
            if field.tag == tag { place = field.place }
            current = nil
        }
        last = (tag, place)
        return place
    }

    mutating func place(named name: String) throws(RecordProblem) -> TaggedPlace { try places()[name] ?? .missing }

    mutating func allNames() throws(RecordProblem) -> [String] { try places().keys.sorted() }

    func allTags() throws(RecordProblem) -> [UInt32] {
        var tags: [UInt32] = []
        var walk = TaggedWalk(bytes, range)
        while let field = try walk.next() {
            if tags.last != field.tag { tags.append(field.tag) }
        }
        return tags
    }

    private mutating func places() throws(RecordProblem) -> [String: TaggedPlace] {
        if let names { return names }
        var found: [String: TaggedPlace] = [:]
        var walk = TaggedWalk(bytes, range)
        while let field = try walk.next(), field.tag <= FieldNumber.namedTag {
            guard field.tag == FieldNumber.namedTag, case .bytes(let range) = field.place else { continue }
            var named = TaggedFields(bytes, range)
            guard case .bytes(let name) = try named.place(ofTag: FieldNumber.nameTag) else { continue }
            found[String(decoding: bytes[name], as: UTF8.self)] = try named.place(ofTag: FieldNumber.valueTag)
        }
        names = found
        return found
    }
}
