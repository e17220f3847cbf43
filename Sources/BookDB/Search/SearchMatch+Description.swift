extension SearchMatch: CustomDebugStringConvertible {
    public var debugDescription: String { "“\(item.title)” (\(band))" }
}
