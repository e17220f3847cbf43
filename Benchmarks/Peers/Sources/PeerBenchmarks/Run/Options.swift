/// What the command line asks for.
struct Options {
    static let usage = """
        usage: PeerBenchmarks FOLDER [WORKS] [--library PATH] [--json FILE] [--svg FILE]
               PeerBenchmarks FOLDER --growth [WORKS ...]
               PeerBenchmarks FOLDER [WORKS] --turnover
               PeerBenchmarks FOLDER --ledger [TRANSACTIONS ...]
               PeerBenchmarks FOLDER --launch [WORKS ...]
          WORKS          invented works to compare with; 100000
          --library PATH a BookDB library to compare with instead; it is copied, not changed
          --json FILE    where to write every figure
          --svg FILE     where to draw the ratios
          --growth       BookDB alone, at 1,000 to 1,000,000 works or those named
          --turnover     BookDB alone: every work replaced ten times while a reader holds the first snapshot
          --ledger       BookDB beside SQLite with a finance app's transfers, 19,000 or as many as are named
          --launch       launches of an app with BookDB and with GRDB, with 100,000 works or as many as are named
        """

    let folder: String
    private(set) var sizes: [Int] = []
    private(set) var library: String?
    private(set) var json: String?
    private(set) var svg: String?
    private(set) var isGrowth = false
    private(set) var isTurnover = false
    private(set) var isLedger = false
    private(set) var isLaunch = false

    // What processes of the run tell each other.
    private(set) var part: String?
    private(set) var round = 0
    private(set) var operations: Int?

    init(_ arguments: [String]) throws {
        guard let folder = arguments.first, !folder.hasPrefix("-") else { throw Failure(Self.usage) }
        self.folder = folder
        var rest = arguments.dropFirst()
        while let argument = rest.popFirst() {
            func value() throws -> String {
                guard let value = rest.popFirst() else { throw Failure("\(argument) needs a value.\n\(Self.usage)") }
                return value
            }
            switch argument {
            case "--library": library = try value()
            case "--json": json = try value()
            case "--svg": svg = try value()
            case "--only": part = try value()
            case "--round": round = Int(try value()) ?? 0
            case "--operations": operations = Int(try value())
            case "--growth": isGrowth = true
            case "--turnover": isTurnover = true
            case "--ledger": isLedger = true
            case "--launch": isLaunch = true
            default:
                guard let size = Int(argument), size > 0 else {
                    throw Failure("“\(argument)” is neither an option nor a number.\n\(Self.usage)")
                }
                sizes.append(size)
            }
        }
        guard isGrowth || isLedger || isLaunch || sizes.count <= 1 else {
            throw Failure("One number of works at a time.\n\(Self.usage)")
        }
    }

    var works: Int { sizes.first ?? 100_000 }

    /// Of the run's own files.
    var runFolder: String {
        if isLedger { return folder + "/ledger-\(works)" }
        if isLaunch { return folder + "/launch-\(works)" }
        return folder + (library == nil ? "/\(works)" : "/library")
    }
}
