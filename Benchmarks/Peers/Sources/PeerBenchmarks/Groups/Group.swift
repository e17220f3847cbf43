/// What is measured together, in a process of its own.
enum Group: String, CaseIterable {
    case `import`, settle, open, openNew, openEvicted, read, scroll, write, busy, compact, crash, recover

    func run<Store: Peer>(_ type: Store.Type, _ context: Context) async throws -> MeasuredLine {
        switch self {
        case .import: MeasuredLine(measurements: try await ImportGroup.run(type, context))
        case .settle: MeasuredLine(measurements: try await CompactionGroup.settle(type, context))
        case .open: MeasuredLine(measurements: [try await OpenGroup.again(type, context)])
        case .openNew: MeasuredLine(measurements: [try await OpenGroup.once(type, context, .openNewProcess)])
        case .openEvicted: MeasuredLine(measurements: [try await OpenGroup.once(type, context, .openEvicted)])
        case .read: MeasuredLine(measurements: try await ReadGroup.run(type, context))
        case .scroll: MeasuredLine(measurements: [try ScrollGroup.run(type, context)])
        case .write: MeasuredLine(measurements: try await WriteGroup.run(type, context))
        case .busy: MeasuredLine(measurements: try await BusyGroup.run(type, context))
        case .compact: MeasuredLine(measurements: try await CompactionGroup.run(type, context))
        case .crash: MeasuredLine(operations: try await RecoveryGroup.crash(type, context))
        case .recover: MeasuredLine(measurements: [try await RecoveryGroup.recover(type, context)])
        }
    }
}
