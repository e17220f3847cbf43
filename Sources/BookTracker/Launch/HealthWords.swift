import BookDB

/// How a library fares, in the library's words: what a reader of the screen gets, and what to do now.
struct HealthWords: Equatable {
    let name: String
    let sentence: String
    let nextStep: String?

    /// Whether everything can be read and changed.
    let isOpen: Bool

    init(_ health: RecordLibrary.Health) {
        (name, sentence, nextStep) = (health.name, health.description, health.nextStep)
        isOpen = health.isOpen
    }
}
