/// What is measured together, in a process of its own.
enum Group: String, CaseIterable {
    case `import`, settle, open, openNew, openEvicted, openWriting, openWritingNew, openWritingEvicted
    case read, scroll, uncached, write, compact, busy, sessions, crash, recover

    func run<Store: Peer>(_ type: Store.Type, _ context: Context) async throws -> MeasuredLine {
        switch self {
        case .import: MeasuredLine(measurements: try await ImportGroup.run(type, context))
        case .settle: MeasuredLine(measurements: try await CompactionGroup.settle(type, context))
        case .open, .openNew, .openEvicted: MeasuredLine(measurements: [try await opening(type, context, .read)])
        case .openWriting, .openWritingNew, .openWritingEvicted:
            MeasuredLine(measurements: [try await opening(type, context, .write)])
        case .read: MeasuredLine(measurements: try await ReadGroup.run(type, context))
        case .scroll: MeasuredLine(measurements: [try ScrollGroup.run(type, context)])
        case .uncached: MeasuredLine(measurements: try await UncachedGroup.run(type, context))
        case .write: MeasuredLine(measurements: try await WriteGroup.run(type, context))
        case .busy: MeasuredLine(measurements: try await BusyGroup.run(type, context))
        case .compact: MeasuredLine(measurements: try await CompactionGroup.run(type, context))
        case .sessions: MeasuredLine(measurements: try await SessionGroup.run(type, context))
        case .crash: MeasuredLine(operations: try await RecoveryGroup.crash(type, context))
        case .recover: MeasuredLine(measurements: [try await RecoveryGroup.recover(type, context)])
        }
    }

    private func opening<Store: Peer>(
        _ type: Store.Type, _ context: Context, _ access: Access
    ) async throws -> Measurement {
        let group = OpenGroup<Store>(context, access)
        return switch self {
        case .openNew: try await group.once(.openNewProcess)
        case .openEvicted: try await group.once(.openEvicted, isEvicted: true)
        case .openWriting: try await group.again(.openWritingCached)
        case .openWritingNew: try await group.once(.openWritingNewProcess)
        case .openWritingEvicted: try await group.once(.openWritingEvicted, isEvicted: true)
        default: try await group.again(.openCached)
        }
    }
}
