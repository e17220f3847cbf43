#if OSLog && canImport(os)
    public import os

    /// A logger of Apple's unified log hears of a library. Its path stays private, as it may name a person.
    extension os.Logger: DiagnosticLog {
        public func log(_ event: DiagnosticEvent) {
            let figures = event.figures.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }.joined(
                separator: ", ")
            log(
                level: OSLogType(event.level),
                "\(event.kind.rawValue, privacy: .public): \(event.message, privacy: .private) \(figures, privacy: .public)"
            )
        }
    }

    extension OSLogType {
        fileprivate init(_ level: DiagnosticEvent.Level) {
            self =
                switch level {
                case .debug: .debug
                case .info: .info
                case .notice, .warning: .default
                case .error: .error
                }
        }
    }
#endif
