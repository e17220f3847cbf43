import BookDB

/// Members that a document always has: null where there is no value.
extension JSONWriter {
    mutating func optional(_ name: String, _ value: String?) {
        if let value { member(name, value) } else { null(name) }
    }

    mutating func optional(_ name: String, _ value: (some FixedWidthInteger)?) {
        if let value { member(name, value) } else { null(name) }
    }

    mutating func optional(_ name: String, _ value: Double?) {
        if let value { member(name, value) } else { null(name) }
    }
}
