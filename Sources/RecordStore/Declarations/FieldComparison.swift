/// How a field is compared with a value. The raw value is part of the format.
enum FieldComparison: UInt8 {
    case equal = 1
    case unequal = 2
    case less = 3
    case lessOrEqual = 4
    case greater = 5
    case greaterOrEqual = 6

    var sign: String {
        switch self {
        case .equal: "=="
        case .unequal: "!="
        case .less: "<"
        case .lessOrEqual: "<="
        case .greater: ">"
        case .greaterOrEqual: ">="
        }
    }

    /// - Parameter order: of what a record has, relative to what it is compared with.
    func holds(_ order: Int) -> Bool {
        switch self {
        case .equal: order == 0
        case .unequal: order != 0
        case .less: order < 0
        case .lessOrEqual: order <= 0
        case .greater: order > 0
        case .greaterOrEqual: order >= 0
        }
    }
}
