#if Tracing
    public import Tracing

    /// Makes a span of every piece of a library's work, for swift-distributed-tracing: `RecordLibrary(at: path, trace: SpanTrace())`. What a
    /// task does in a library is a child of the span that the task is in.
    public struct SpanTrace: DiagnosticTrace {
        private let tracer: any Tracer

        /// - Parameter tracer: the one that the process was set up with, unless it is given.
        public init(_ tracer: any Tracer = InstrumentationSystem.tracer) { self.tracer = tracer }

        public func begin(_ interval: DiagnosticInterval) -> @Sendable () -> Void {
            let span = tracer.startSpan("bookdb.\(interval.phase.rawValue)", ofKind: .internal)
            if let name = interval.name { span.attributes["bookdb.name"] = name }
            span.attributes["bookdb.library"] = interval.library
            return { span.end() }
        }
    }
#endif
