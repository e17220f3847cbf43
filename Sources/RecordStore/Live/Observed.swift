import Observation

/// A property that can be observed, for generic classes: `@Observed var window = 0..<0`.
///
/// The macro `@Observable` names properties by key paths, and a generic class makes its key paths again at every access, which takes
/// 20 µs. So the key path here is that of a class that is not generic. A class itself, so that observers may read the property while
/// they are notified that it changes.
@MainActor @propertyWrapper final class Observed<Value> {
    private let signal = Signal()
    private var value: Value
    private var setCount = 0

    init(wrappedValue: Value) { value = wrappedValue }

    var wrappedValue: Value {
        get {
            signal.access()
            return value
        }
        set {
            let before = setCount
            signal.change()
            // What an observer has set while it was notified is newer.
            guard setCount == before else { return }
            setCount += 1
            value = newValue
        }
    }
}

@MainActor @Observable private final class Signal {
    private var changeCount = 0

    func access() { _ = changeCount }
    func change() { changeCount += 1 }
}
