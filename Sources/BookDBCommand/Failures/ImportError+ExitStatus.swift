import BookImport

extension ImportError {
    var status: ExitStatus {
        switch self {
        case .notFound: .notFound
        case .notPermitted: .notPermitted
        case .notReadable: .inputOutput
        case .isDirectory, .notCSV, .unknownFormat, .noSuchColumn, .unclearEncoding: .badInput
        case .unknownField, .invalidMapping, .unnamedSource: .wrongUsage
        }
    }
}
