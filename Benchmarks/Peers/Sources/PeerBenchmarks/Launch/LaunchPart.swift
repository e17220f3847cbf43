/// A separate process for one launch of one store, such as `grdb:closedEvicted`, or for `grdb:change` before.
struct LaunchPart {
    private let store: String
    private let name: String
    private let options: Options

    static let change = "change"

    init(_ part: String, _ options: Options) throws {
        let parts = part.split(separator: ":").map(String.init)
        guard parts.count == 2 else { throw Failure("“\(part)” is not STORE:STATE of a launch.") }
        (store, name) = (parts[0], parts[1])
        self.options = options
    }

    func run() async throws {
        // What fills the stores, and openings of the other table, are those of all peers.
        if Group(rawValue: name) != nil { return try await Part("\(store):\(name)", options).run() }
        let context = Context(folder: options.runFolder, plan: try Plan.load(options.runFolder))
        let type = try LaunchedStores.named(store)
        try await Part.run {
            if name == Self.change {
                try await LaunchGroup.change(type, context)
                return MeasuredLine()
            }
            guard let state = LaunchState(rawValue: name) else {
                throw Failure("There is no launch “\(name)”.")
            }
            return MeasuredLine(measurements: try await LaunchGroup.launch(type, state, context))
        }
    }
}
