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

    /// The order in which its list is kept, and which it is shown in unless another is asked for.
    var order: WorkOrder {
        if case .series = self { .series } else { .title }
    }

    /// The keys of the scope's list begin with this; `nil` when the whole order is shown.
    var prefix: (index: WorkIndex, bytes: [UInt8])? {
        switch self {
        case .all: nil
        case .author(let author): (.author, .bigEndian(author.rawValue))
        case .series(let name): (.series, LibraryKey.namePrefix(name))
        case .tag(let name): (.tag, LibraryKey.namePrefix(name))
        case .language(let language): (.language, language.bytes)
        }
    }
}

extension Snapshot.Works {
    /// The list of a scope, in its own order. `nil` for the whole library, which has lists in every order.
    func list(_ scope: WorkScope, _ filter: WorkFilter) -> WorkItems? {
        switch scope {
        case .all: nil
        case .author(let author): list(by: author, filter)
        case .series(let name): list(inSeries: name, filter)
        case .tag(let name): list(tagged: name, filter)
        case .language(let language): list(in: language, filter)
        }
    }
}
