/// A field that a search of records looks through: a text, several, or none.
public protocol SearchedText: Decodable {
    var searchedTexts: [String] { get }
}

extension String: SearchedText {
    public var searchedTexts: [String] { [self] }
}

extension Optional: SearchedText where Wrapped: SearchedText {
    public var searchedTexts: [String] { self?.searchedTexts ?? [] }
}

extension Array: SearchedText where Element: SearchedText {
    public var searchedTexts: [String] { flatMap(\.searchedTexts) }
}
