#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

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

    /// It is not clear how the bytes stand for letters. Some lines, read as UTF-8 and as windows-1252.
    case unclearEncoding(name: String, lines: [UnclearLine])

    /// A column of identifiers does not say whose they are.
    case unnamedSource(column: String)

    /// No column is known to hold titles.
    case unknownFormat(name: String, headers: [String])

    /// A mapping names a column the file does not have.
    case noSuchColumn(String, headers: [String])

    /// A mapping names a field there is not.
    case unknownField(String)

    /// A mapping is not of the form `Titel=title`.
    case invalidMapping(String)

    /// A line of a file that can be read in two ways.
    public struct UnclearLine: Hashable, Sendable {
        /// Counted from 1.
        public let number: Int
        public let asUTF8: String
        public let asWindows1252: String
    }

    public var description: String { "\(sentence)\n→ \(nextStep)" }

    /// What happened, as a sentence.
    public var sentence: String {
        switch self {
        case .notFound(let path): "There is no file at \(path)."
        case .notPermitted(let path): "\(path) may not be read: permission denied."
        case .isDirectory(let path): "\(path) is a directory, not a file."
        case .notReadable(let name, let reason): "\(name) could not be read: \(reason)."
        case .notCSV(let name, let error): "\(name) is not a CSV: \(error.reason)."
        case .unclearEncoding(let name, let lines):
            "\(name) is not all UTF-8, and it is not clear what else it is."
                + lines.map { line in
                    "\n  line \(line.number)  utf-8         \(Self.visible(line.asUTF8))"
                        + "\n  \(String(repeating: " ", count: "line \(line.number)".count))  windows-1252  "
                        + Self.visible(line.asWindows1252)
                }.joined()
        case .unnamedSource(let column):
            "“\(Self.shortened(column))” has numbers of books, and nobody says whose they are."
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
        case .unclearEncoding:
            "--encoding windows-1252 if that reads right, or open the file in its program and save it as UTF-8; with "
                + "--encoding utf-8 the lines that are not are rejected and listed"
        case .unnamedSource:
            "--source NAME gives the list a name, so that its books are known again by their numbers, and not taken for "
                + "those of another list"
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
        let plain = visible(String(header.prefix(40)))
        return header.count > 40 ? plain + "…" : plain
    }

    /// The text on one line, and nothing in it that a terminal would obey.
    private static func visible(_ text: String) -> String {
        let scalars = text.unicodeScalars.map { scalar in
            scalar.properties.generalCategory == .control ? " " : scalar
        }
        return String(String.UnicodeScalarView(scalars))
    }
}

extension ImportError: LocalizedError {
    public var errorDescription: String? { sentence }
    public var recoverySuggestion: String? { nextStep }
}
