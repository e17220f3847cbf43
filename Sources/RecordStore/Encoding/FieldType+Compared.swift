extension FieldType {
    /// How values are compared: of a list, its elements. `nil` for what is none.
    var comparedKind: FieldKind? {
        switch self {
        case .flag, .natural, .identifier: .number
        case .integer, .day, .money: .signed
        case .real, .moment: .real
        case .text, .url: .text
        case .bytes, .uuid: .bytes
        case .list(let element): if case .list = element { nil } else { element.comparedKind }
        case .unknown, .named, .record: nil
        }
    }
}
