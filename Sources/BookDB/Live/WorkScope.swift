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
    /// The list of a scope: in the order and direction asked for when it is the whole library, in its own order otherwise.
    func list(
        _ scope: WorkScope, by order: WorkOrder, _ filter: WorkFilter, direction: WorkDirection
    ) -> WorkItems {
        switch scope {
        case .all: sorted(by: order, filter, direction: direction)
        case .author(let author): list(by: author, filter)
        case .series(let name): list(inSeries: name, filter)
        case .tag(let name): list(tagged: name, filter)
        case .language(let language): list(in: language, filter)
        }
    }
}
