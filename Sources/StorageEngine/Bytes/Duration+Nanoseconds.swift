extension Duration {
    /// In whole nanoseconds, the rest cut off. For durations of less than 292 years.
    package var nanoseconds: Int {
        Int(components.seconds) * 1_000_000_000 + Int(components.attoseconds / 1_000_000_000)
    }
}
