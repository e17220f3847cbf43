extension Database {
    /// Where the last launches of apps are kept: no part of the store.
    package var launchesPath: String { files.launches }
}
