#if SwiftLog
    public import Logging

    /// A logger of swift-log hears of a library, its figures as metadata.
    extension Logger: DiagnosticLog {
        public func log(_ event: DiagnosticEvent) {
            var metadata = Metadata(uniqueKeysWithValues: event.figures.map { ($0.key, "\($0.value)") })
            metadata["library"] = "\(event.library)"
            metadata["event"] = "\(event.kind.rawValue)"
            log(level: Level(event.level), "\(event.message)", metadata: metadata, source: "BookDB")
        }
    }

    extension Logger.Level {
        fileprivate init(_ level: DiagnosticEvent.Level) {
            self =
                switch level {
                case .debug: .debug
                case .info: .info
                case .notice: .notice
                case .warning: .warning
                case .error: .error
                }
        }
    }
#endif
