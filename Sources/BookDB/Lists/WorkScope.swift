import StorageEngine

/// Which part of the library a list is of.
public enum WorkScope: Hashable, Sendable {
    case all
    case author(ID<Author>)

    /// Case, marks and punctuation of the name do not count.
    case series(String)

    /// A tag (a shelf) of the reader's.
    case tag(String)

    case language(LanguageCode)

    /// The order in which its list is kept, and which it is shown in unless another is asked for: that of a series by its numbers, others
    /// by title.
    var order: WorkOrder { prefix?.index.definition.order ?? .title }

    /// The keys of the scope's list begin with this; `nil` when the whole order is shown.
    var prefix: (index: WorkIndex, bytes: [UInt8])? {
        switch self {
        case .all: nil
        case .author(let author): (.authorList, .bigEndian(author.rawValue))
        case .series(let name): (.seriesList, LibraryKey.namePrefix(name))
        case .tag(let name): (.tagList, LibraryKey.namePrefix(name))
        case .language(let language): (.languageList, language.bytes)
        }
    }
}
