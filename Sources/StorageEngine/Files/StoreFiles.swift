/// The names of a store's files. A store is a directory; the names say what supersedes what.
///
///     lock                          held by the one writer, or by the one that writes now
///     turn, compacting              held by who waits for it, and by who compacts, where processes share the store
///     head                          how far the log goes, for those who follow it; may be missing or behind
///     snapshot-000000000000002a     one per generation, hexadecimal; the newest sound one counts
///     search-000000000000002a       what can be made from the snapshot again, to search it faster; may be missing
///     log-0000000000000031          log segments by sequence number
///     history                       the last openings, closings, rescues and cuts, for people; may be missing
///     cache                         a directory of blobs of the app's that may be lost; see `BlobFiles`
///     launches, answers             the last launches of apps, and answers they keep; may be missing
///     *.tmp, *.tmp.cold             being written; removed at the next opening
///     aside-…                       bytes that recovery cut off a log, kept as evidence; never read again
///     staged-000000000001002a       the snapshot of a restored library that waits for the next writing opening
///     restore                       says so, and what it is; without it the file above is a leftover
///     restore-former                the same of one that was staged before, while another is being staged
///     restored                      the last restore that was carried out
public struct StoreFiles: Sendable {
    public let directory: String

    /// Goes into the names of what is being written, so that those who share a store do not write the same.
    private var tag = ""

    /// Those of one who shares the store with others.
    var ofSharer: StoreFiles {
        var files = self
        files.tag = "." + UInt32.random(in: .min ... .max).hexadecimal
        return files
    }

    public init(directory: String) {
        var trimmed = directory.utf8[...]
        while trimmed.count > 1, trimmed.last == UInt8(ascii: "/") { trimmed.removeLast() }
        self.directory = String(decoding: trimmed, as: UTF8.self)
    }

    /// Whether its directory exists. Throws when something else has its name.
    package func exist(in fileSystem: any FileSystem) throws(StorageError) -> Bool {
        switch try fileSystem.kind(of: directory) {
        case .absent: return false
        case .directory: return true
        case let kind: throw .notAStore(path: directory, reason: "it is \(kind), and a store is a directory")
        }
    }

    /// Whether its directory is one with files of a store in it.
    package func isStore(in fileSystem: any FileSystem) throws(StorageError) -> Bool {
        guard try fileSystem.kind(of: directory) == .directory else { return false }
        return try fileSystem.names(inDirectory: directory).contains(where: Self.isOfStore)
    }

    /// The directory that holds the store's.
    public var parent: String {
        // Not by characters: a mark behind a slash makes one of both.
        guard let slash = directory.utf8.lastIndex(of: UInt8(ascii: "/")) else { return "." }
        return slash == directory.startIndex ? "/" : String(decoding: directory.utf8[..<slash], as: UTF8.self)
    }

    static let temporarySuffix = ".tmp"
    private static let scratchSuffix = ".parts.tmp"

    var lock: String { directory + "/lock" }
    var turn: String { directory + "/turn" }
    var compacting: String { directory + "/compacting" }
    var head: String { directory + "/head" }
    var history: String { directory + "/history" }
    package var launches: String { directory + "/launches" }
    package var answers: String { directory + "/answers" }
    var cache: String { directory + "/cache" }
    func snapshot(_ generation: UInt64) -> String { directory + "/snapshot-" + Self.digits(generation) }
    func temporarySnapshot(_ generation: UInt64) -> String { snapshot(generation) + tag + Self.temporarySuffix }
    /// What collector `number` of a load sorts beside memory.
    func sorting(_ number: Int) -> String { directory + "/load-" + String(number) + tag + Self.temporarySuffix }
    func companion(_ generation: UInt64) -> String { directory + "/search-" + Self.digits(generation) }
    func temporaryCompanion(_ generation: UInt64) -> String { companion(generation) + tag + Self.temporarySuffix }
    /// What waits for its turn while a companion is made.
    static func scratch(of temporaryCompanion: String) -> String { temporaryCompanion + scratchSuffix }
    func staged(_ generation: UInt64) -> String { directory + "/staged-" + Self.digits(generation) }
    var restore: String { directory + "/restore" }
    var formerRestore: String { directory + "/" + Self.formerRestoreName }
    static let formerRestoreName = "restore-former"
    var restored: String { directory + "/restored" }
    func log(_ sequence: UInt64) -> String { directory + "/log-" + Self.digits(sequence) }

    func aside(_ sequence: UInt64, _ byteOffset: Int) -> String {
        directory + "/aside-" + Self.digits(sequence) + "-" + String(byteOffset)
    }

    enum Kind: Equatable {
        case snapshot(UInt64)
        case companion(UInt64)
        case log(UInt64)
        case lock
        case head
        case history
        case cache
        case launches
        case temporary
        case aside
        case staged(UInt64)
        case restore
        case restored
        case foreign
    }

    static func kind(ofName name: String) -> Kind {
        if name == "lock" || name == "turn" || name == "compacting" { return .lock }
        if name == "head" { return .head }
        if name == "history" { return .history }
        if name == "cache" { return .cache }
        if name == "launches" || name == "answers" { return .launches }
        if name == "restore" || name == formerRestoreName { return .restore }
        if name == "restored" { return .restored }
        if isTemporary(name) { return .temporary }
        if isAside(name) { return .aside }
        if name.hasPrefix("snapshot-"), let number = number(name.dropFirst(9)) { return .snapshot(number) }
        if name.hasPrefix("search-"), let number = number(name.dropFirst(7)) { return .companion(number) }
        if name.hasPrefix("log-"), let number = number(name.dropFirst(4)) { return .log(number) }
        if name.hasPrefix("staged-"), let number = number(name.dropFirst(7)) { return .staged(number) }
        return .foreign
    }

    /// `aside-0000000000000031-4096`
    private static func isAside(_ name: String) -> Bool {
        guard name.utf8.starts(with: "aside-".utf8) else { return false }
        let numbers = name.dropFirst(6).split(separator: "-", omittingEmptySubsequences: false)
        return numbers.count == 2 && number(numbers[0]) != nil && Int(numbers[1]).map { $0 >= 0 } ?? false
    }

    /// What is being made has the name that it is to have, and perhaps a tag, before the suffix.
    private static func isTemporary(_ name: String) -> Bool {
        guard name.hasSuffix(temporarySuffix) || name.hasSuffix(".tmp.cold") else { return false }
        return madeNames.contains { name.hasPrefix($0) }
    }

    private static let madeNames = [
        "snapshot-", "search-", "log-", "load-", "staged-", "restore", "launches.", "answers.",
    ]

    static func isSnapshot(_ name: String) -> Bool {
        if case .snapshot = kind(ofName: name) { true } else { false }
    }

    /// Whether a file of that name makes its directory a store.
    public static func isOfStore(_ name: String) -> Bool {
        switch kind(ofName: name) {
        case .snapshot, .log: true
        case .companion, .lock, .head, .history, .cache, .launches, .temporary, .aside, .staged, .restore, .restored,
            .foreign:
            false
        }
    }

    /// Whether the engine creates files of that name.
    public static func isKnown(_ name: String) -> Bool {
        switch kind(ofName: name) {
        case .snapshot, .companion, .log, .lock, .head, .history, .launches, .temporary, .aside, .staged, .restore,
            .restored:
            true
        case .cache, .foreign: false
        }
    }

    static func digits(_ number: UInt64) -> String {
        let digits = String(number, radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }

    static func number(_ digits: Substring) -> UInt64? {
        let isPlain =
            digits.utf8.count == 16 && digits.allSatisfy { ("0"..."9").contains($0) || ("a"..."f").contains($0) }
        guard isPlain, let number = UInt64(digits, radix: 16), number < Limits.numberLimit else { return nil }
        return number
    }
}
