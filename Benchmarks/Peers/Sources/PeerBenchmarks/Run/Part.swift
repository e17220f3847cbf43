import Foundation

/// A process of its own for one group of one store, such as `sqlite:read`: prints what it measured as one line.
struct Part {
    private let store: String
    private let group: Group
    private let options: Options

    init(_ name: String, _ options: Options) throws {
        let parts = name.split(separator: ":").map(String.init)
        guard parts.count == 2 else { throw Failure("“\(name)” is not STORE:GROUP.") }
        guard let group = Group(rawValue: parts[1]) else {
            throw Failure(
                "There is no group “\(parts[1])”. → one of \(Group.allCases.map(\.rawValue).joined(separator: ", "))")
        }
        store = parts[0]
        self.group = group
        self.options = options
    }

    func run() async throws {
        let folder = options.runFolder
        let context = Context(
            folder: folder, plan: try Plan.load(folder), round: options.round, operations: options.operations)
        try await Self.run {
            store == Floor.key
                ? MeasuredLine(measurements: try await Floor(folder: folder, plan: context.plan).run(group))
                : try await group.run(try Peers.named(store), context)
        }
    }

    /// Measures, prints the line and ends the process.
    static func run(_ measure: () async throws -> MeasuredLine) async throws {
        // What others wrote is on the disk before anything is timed.
        sync()
        let line = try await measure()
        try FileHandle.standardOutput.write(contentsOf: JSONEncoder().encode(line) + [0x0A])
        // A thread that is done may still be letting go of a store, which a regular exit takes from under it.
        _exit(0)
    }

    /// Runs this program once more for one part.
    static func measured(
        _ name: String, _ options: Options, round: Int = 0, operations: Int? = nil
    ) throws -> MeasuredLine {
        let process = Process()
        process.executableURL = URL(filePath: Bundle.main.executablePath ?? CommandLine.arguments[0])
        process.arguments = [options.folder, "\(options.works)", "--only", name, "--round", "\(round)"]
        if options.isLedger { process.arguments?.append("--ledger") }
        if options.isLaunch { process.arguments?.append("--launch") }
        if let library = options.library { process.arguments? += ["--library", library] }
        if let operations { process.arguments? += ["--operations", "\(operations)"] }
        let pipe = Pipe()
        process.standardOutput = pipe
        try process.run()
        let output = pipe.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        guard process.terminationStatus == 0, let line = output.split(separator: 0x0A).last else {
            throw Failure("\(name) ended with status \(process.terminationStatus).")
        }
        return try JSONDecoder().decode(MeasuredLine.self, from: Data(line))
    }
}
