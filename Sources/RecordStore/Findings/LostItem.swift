/// A record of a damaged library that could not be saved, or not whole.
public struct LostItem: Sendable, Equatable {
    /// By what it is called in reports.
    public struct Kind: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
        public let rawValue: String

        public var description: String { rawValue }

        public init(rawValue: String) { self.rawValue = rawValue }
    }

    public let kind: Kind

    /// Of the record, or of the one that it belongs to.
    public let id: String

    /// What people call it, where any tree still tells.
    public let title: String?

    /// What is lost, in words: "its description".
    public let loss: String

    /// The record is in the new library, made anew from what lists and indexes say.
    public let isMadeAnew: Bool

    /// Fields that were read and have no place in the new library, as one JSON object.
    public var fields: String?

    /// A record that is not damaged on disk and yet is none.
    public var bytes: [UInt8]?

    package init(
        _ kind: Kind, _ id: String, title: String? = nil, loss: String, isMadeAnew: Bool = false,
        fields: String? = nil, bytes: [UInt8]? = nil
    ) {
        self.kind = kind
        self.id = id
        self.title = title
        self.loss = loss
        self.isMadeAnew = isMadeAnew
        self.fields = fields
        self.bytes = bytes
    }

    /// `{"kind":"text","id":"a3f09c-12","title":"Rent","lost":"its note","madeAnew":false}`; `fields` and `bytes`, in
    /// hexadecimal, where there are any. Members are only ever added, at the end.
    package func jsonLine() -> String {
        var json = JSONWriter()
        json.object { json in
            json.member("kind", kind.rawValue)
            json.member("id", id)
            if let title { json.member("title", title) }
            json.member("lost", loss)
            json.member("madeAnew", isMadeAnew)
            if let fields { json.member("fields", json: fields) }
            if let bytes { json.member("bytes", bytes.hexadecimal) }
        }
        return json.text
    }
}

extension LostItem.Kind {
    /// What the library knew about itself, such as how it files letters.
    public static let library = LostItem.Kind(rawValue: "library")

    /// A tree that a later version of BookDB keeps, by its number.
    public static let laterTree = LostItem.Kind(rawValue: "tree")
}
