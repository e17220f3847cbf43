extension CommandFailure {
    /// The failure of a command that was asked for what a library has not. Where the library answers as of an earlier commit, it may be in what was
    /// lost, and the status is that of such an answer.
    static func absent(_ sentence: String, next: String?) -> CommandFailure {
        guard LibraryAccess.hasMetDamage else {
            return CommandFailure(status: .notFound, sentence: sentence, next: next)
        }
        return CommandFailure(status: .found, sentence: sentence + " It may be in what the log has lost.", next: next)
    }
}
