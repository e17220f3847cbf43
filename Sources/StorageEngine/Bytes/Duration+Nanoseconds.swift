extension Duration {
    /// In whole nanoseconds, the rest cut off; of more than 292 years, the largest or least number there is.
    package var nanoseconds: Int {
        let (whole, overflows) = Int(components.seconds).multipliedReportingOverflow(by: 1_000_000_000)
        let (sum, overflowsWithRest) = whole.addingReportingOverflow(Int(components.attoseconds / 1_000_000_000))
        guard overflows || overflowsWithRest else { return sum }
        return components.seconds < 0 ? .min : .max
    }
}
