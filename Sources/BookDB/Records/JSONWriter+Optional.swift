import RecordStore

extension JSONWriter {
    mutating func optional(_ name: String, _ value: String?) {
        if let value { member(name, value) }
    }

    mutating func optional(_ name: String, _ value: Int?) {
        if let value { member(name, value) }
    }

    /// Left out when empty.
    mutating func list<Value>(
        _ name: String, _ values: [Value], _ write: (inout JSONWriter, Value) -> Void
    ) {
        guard !values.isEmpty else { return }
        array(name) { json in
            for value in values { write(&json, value) }
        }
    }
}
