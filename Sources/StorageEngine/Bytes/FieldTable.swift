/// All fields of a structure, in order: its table in `Formats/`. A test compares the two.
struct FieldTable {
    struct Row: Equatable {
        let name: String
        let offset: Int
        let byteCount: Int
        /// `u8` to `u64`, or `bytes`.
        let type: String
    }

    private(set) var rows: [Row] = []

    init<each Value>(_ fields: repeat Field<each Value>) { repeat add(each fields) }

    private mutating func add<Value>(_ field: Field<Value>) {
        rows.append(
            Row(
                name: field.name.description, offset: field.offset, byteCount: field.byteCount,
                type: Value.self == [UInt8].self ? "bytes" : "u\(field.byteCount * 8)"))
    }
}
