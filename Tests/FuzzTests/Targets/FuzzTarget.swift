/// A claim about any bytes whatever: `check` returns, in time and memory that the bytes warrant, or throws what it found.
struct FuzzTarget: Sendable {
    enum Check: Sendable {
        case now(@Sendable ([UInt8]) throws -> Void)
        case later(@Sendable ([UInt8]) async throws -> Void)
    }

    /// Also the folder of its corpus.
    let name: String
    let summary: String
    /// Longer inputs show nothing that these do not.
    let byteLimit: Int
    let check: Check

    static let all: [FuzzTarget] = [
        .log, .snapshot, .page, .record, .lz4, .csv, .rows, .searchFile, .store, .schema, .backup, .restore, .salvage,
        .lines, .side,
    ]

    static func named(_ name: String) -> FuzzTarget? { all.first { $0.name == name } }

    func run(_ bytes: [UInt8]) async throws {
        switch check {
        case .now(let check): try check(bytes)
        case .later(let check): try await check(bytes)
        }
    }
}

extension FuzzTarget {
    init(name: String, summary: String, byteLimit: Int, _ check: @escaping @Sendable ([UInt8]) throws -> Void) {
        self.name = name
        self.summary = summary
        self.byteLimit = byteLimit
        self.check = .now(check)
    }
}

/// What a target found: a claim that does not hold.
struct FuzzFinding: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}

/// Throws unless the claim holds.
func claim(_ holds: Bool, _ otherwise: @autoclosure () -> String) throws {
    if !holds { throw FuzzFinding(otherwise()) }
}
