extension String {
    /// Whether two texts are stored as the same bytes. `==` is no answer: it takes a composed é and a decomposed one for equal.
    @inlinable package func hasSameBytes(as other: String) -> Bool { utf8.elementsEqual(other.utf8) }
}

extension String? {
    /// Whether both are missing, or stored as the same bytes.
    package func hasSameBytes(as other: String?) -> Bool {
        switch (self, other) {
        case (nil, nil): true
        case (let text?, let other?): text.hasSameBytes(as: other)
        default: false
        }
    }
}
