extension OrderDeclaration {
    /// Whether something of it is of another kind than the field has that the library knows under the number: a record with such a field can
    /// stand nowhere in it.
    func contradicts(_ fields: KindFields) -> Bool {
        func isOfAnother(_ tag: UInt32, _ kind: FieldKind) -> Bool {
            let field = FieldNumber.number(ofTag: tag).flatMap { fields.field(numbered: $0) }
            return field?.type.comparedKind.map { $0 != kind } ?? false
        }
        let own = (stands.flatMap(\.components) + tail).filter {
            $0.linked == nil && $0.computed == nil && $0.partTag == nil
        }
        let sums = stands.flatMap(\.sums).filter { $0.partTag == nil }
        return own.contains { isOfAnother($0.tag, $0.kind) } || sums.contains { isOfAnother($0.tag, $0.kind) }
            || facets.contains { isOfAnother($0.tag, $0.kind) }
    }
}
