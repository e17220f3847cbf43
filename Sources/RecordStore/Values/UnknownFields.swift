/// Fields of a record that this version does not know, kept byte for byte and written back in their place.
///
/// A library shared with a newer version of the app loses nothing when an older one updates a record. A known field
/// with a value from the future (a reading status this version has no case for) is kept here too, until the property
/// is set to something else.
///
/// Always true: tags ascend; several fields with one tag stay in the order they were read.
package struct UnknownFields: Hashable, Sendable {
    package struct Field: Hashable, Sendable {
        let tag: UInt32

        /// The whole field: its header and its content.
        let bytes: [UInt8]
    }

    private(set) var fields: [Field] = []

    package init() {}

    package var isEmpty: Bool { fields.isEmpty }

    package mutating func append(_ field: Field) {
        assert(fields.last.map { $0.tag <= field.tag } ?? true, "tags ascend")
        fields.append(field)
    }
}
