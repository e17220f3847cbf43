extension OrderDeclaration {
    /// Whether something of it is of another kind than the field has that the library knows under the number: a record with such a field can
    /// stand nowhere in it.
    ///
    /// - Parameters:
    ///   - kind: whose records are in it.
    ///   - known: the fields of a kind as the library has them, and the numbers of those that types of the app declare as retyped.
    func contradictsFields(
        of kind: String, known: (_ kind: String) -> (fields: KindFields, retyped: Set<Int>)
    ) -> Bool {
        let (fields, retyped) = known(kind)
        if ownFields.contains(where: { fields.hasAnother($0.kind, $0.tag, retyped) }) { return true }
        return linked.contains { component in
            guard let field = component.linked else { return false }
            let (fields, retyped) = known(field.kind)
            return fields.hasAnother(component.kind, field.tag, retyped)
        }
    }

    /// The fields of a record itself that it is by, and the kinds that it takes them for.
    private var ownFields: [(tag: UInt32, kind: FieldKind)] {
        let components = (stands.flatMap(\.components) + tail).filter {
            $0.linked == nil && $0.computed == nil && $0.partTag == nil
        }
        let sums = stands.flatMap(\.sums)
        var fields = components.map { (tag: $0.tag, kind: $0.kind) }
        fields += sums.filter { $0.partTag == nil }.map { (tag: $0.tag, kind: $0.kind) }
        fields += sums.compactMap(\.unit).map { (tag: $0.tag, kind: $0.kind) }
        fields += facets.map { (tag: $0.tag, kind: $0.kind) }
        return fields
    }
}

extension KindFields {
    /// Whether the field under a tag is of another kind. One that only the code of its type knows is taken for what it was before, unless it is
    /// retyped.
    fileprivate func hasAnother(_ kind: FieldKind, _ tag: UInt32, _ retyped: Set<Int>) -> Bool {
        guard let number = FieldNumber.number(ofTag: tag), let field = field(numbered: number) else { return false }
        if let known = field.type.comparedKind { return known != kind }
        return field.type.isWhollyKnown || retyped.contains(number)
    }
}
