/// Why nothing, or nothing more, could be imported. The description is a sentence and, after an arrow, the next step.
///
/// What is wrong with one row is no error but a `Reject` in the result.
public enum ImportError: Error, Hashable, Sendable, CustomStringConvertible {
    case notFound(path: String)
    case notPermitted(path: String)
    case isDirectory(path: String)

    /// Reading stopped within the file: a failing disk, a connection that broke.
    case notReadable(name: String, reason: String)

    /// The file is something else than text in columns.
    case notCSV(name: String, CSVError)

    /// No column is known to hold titles.
    case unknownFormat(name: String, headers: [String])

    /// A mapping names a column the file does not have.
    case noSuchColumn(String, headers: [String])

    /// A mapping names a field there is not.
    case unknownField(String)

    /// A mapping is not of the form `Titel=title`.
    case invalidMapping(String)

    public var description: String { "\(sentence)\n→ \(nextStep)" }

    /// What happened, as a sentence.
    public var sentence: String {
        switch self {
        case .notFound(let path): "There is no file at \(path)."
        case .notPermitted(let path): "\(path) may not be read: permission denied."
        case .isDirectory(let path): "\(path) is a directory, not a file."
        case .notReadable(let name, let reason): "\(name) could not be read: \(reason)."
        case .notCSV(let name, let error): "\(name) is not a CSV: \(error.reason)."
        case .unknownFormat(let name, let headers):
            "\(name) has no column known to hold titles; its columns are \(Self.list(headers))."
        case .noSuchColumn(let header, let headers):
            "There is no column “\(header)”; the columns are \(Self.list(headers))."
        case .unknownField(let name): "There is no field “\(name)”."
        case .invalidMapping(let text): "“\(text)” does not say which column is which field."
        }
    }

    public var nextStep: String {
        switch self {
        case .notFound: "check the path"
        case .notPermitted: "check the owner and the permissions of the file"
        case .isDirectory: "name a file in it"
        case .notReadable: "try again; what was imported before stays, and is known when it comes again"
        case .notCSV(_, let error): error.nextStep
        case .unknownFormat:
            "say which column is the title, such as --map \"\(Self.exampleHeader(self))=title\"; known formats are "
                + ImportFormat.allCases.map(\.rawValue).joined(separator: ", ")
        case .noSuchColumn: "name one of them"
        case .unknownField: "use one of " + BookField.allCases.map(\.rawValue).joined(separator: ", ")
        case .invalidMapping: "write the column, an equals sign and the field, such as Titel=title"
        }
    }

    private static func exampleHeader(_ error: ImportError) -> String {
        guard case .unknownFormat(_, let headers) = error, let first = headers.first, !first.isEmpty else {
            return "Name of the column"
        }
        return shortened(first)
    }

    /// The first columns, since a file that is no table may seem to have thousands.
    private static func list(_ headers: [String]) -> String {
        let shown = headers.prefix(12).map { "“\(shortened($0))”" }.joined(separator: ", ")
        return headers.count > 12 ? shown + " and \(headers.count - 12) more" : shown
    }

    private static func shortened(_ header: String) -> String {
        let plain = String(header.prefix(40).map { $0.isNewline || $0.isWhitespace ? " " : $0 })
        return header.count > 40 ? plain + "…" : plain
    }
}
