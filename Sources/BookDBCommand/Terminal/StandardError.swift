/// What is said beside the answer: hints, progress and errors, on standard error.
enum StandardError {
    static func say(_ text: String) {
        write(text + "\n")
    }

    /// Says nothing if standard error is closed: there is nobody left to tell.
    static func write(_ text: String) {
        try? SystemCalls.write(Array(text.utf8), to: SystemCalls.standardError)
    }
}
