/// Something that has to be so on every machine, however slow: a count, a health.
struct State: Sendable, Equatable {
    let name: String
    let expected: String
    let found: String

    var holds: Bool { expected == found }
}

extension State {
    init(_ name: String, _ expected: Int, _ found: Int) {
        self.init(name: name, expected: Figure.count(expected), found: Figure.count(found))
    }
}
