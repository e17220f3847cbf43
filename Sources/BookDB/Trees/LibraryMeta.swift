import Filing
import StorageEngine

/// What a library knows about itself, kept in its own tree so that it changes with the commit that changes it.
///
/// Every value is a number of eight big-endian bytes under a name.
struct LibraryMeta: Equatable, Sendable {
    /// The format of the records, keys and rows; trees of a higher one cannot be read by this version.
    var format: UInt64

    /// The high 24 bits of every identifier given out here. Drawn once, never 0 and never the placeholder's.
    var device: UInt64

    /// The counter of the next identifier; one for all types of records.
    var nextCounter: UInt64

    /// The rules by which the filing keys were made, and above the lowest 16 bits the layout of the rows. When either changes,
    /// the lists are made anew.
    var filingRules: UInt64

    /// Where the library files the letters that languages place differently; a change is one of rules.
    var filing: FilingTailoring {
        get { FilingTailoring(stored: filingTailoring) }
        set { filingTailoring = UInt64(newValue.rawValue) }
    }

    private var filingTailoring: UInt64

    var rowLayout: UInt64 { filingRules >> 16 }

    static let currentFormat: UInt64 = 1
    static let currentFilingRules = WorkListRow.Layout.version << 16 | UInt64(TitleKey.ruleVersion)

    enum Name {
        static let format = Array("format".utf8)
        static let device = Array("device".utf8)
        static let nextCounter = Array("next-counter".utf8)
        static let filingRules = Array("filing-rules".utf8)
        static let filingTailoring = Array("filing-tailoring".utf8)
    }

    /// A library that begins.
    init(device: UInt32, filing: FilingTailoring = .standard) {
        format = Self.currentFormat
        self.device = UInt64(device)
        nextCounter = 1
        filingRules = Self.currentFilingRules
        filingTailoring = UInt64(filing.rawValue)
    }

    /// `nil` for a store in which nothing was written yet.
    init?(_ trees: borrowing some TreeReadable & ~Copyable) throws(BookError) {
        guard let format = try Self.number(Name.format, in: trees) else { return nil }
        self.format = format
        device = try Self.number(Name.device, in: trees) ?? 0
        nextCounter = try Self.number(Name.nextCounter, in: trees) ?? 1
        filingRules = try Self.number(Name.filingRules, in: trees) ?? 0
        filingTailoring = try Self.number(Name.filingTailoring, in: trees) ?? 0
    }

    /// Whether the keys are those that this version makes: not where a later one filed by a tailoring of its own.
    var isFiledAsNow: Bool {
        filingRules == Self.currentFilingRules && filingTailoring == UInt64(filing.rawValue)
    }

    mutating func noteFiledAsNow() {
        filingRules = Self.currentFilingRules
        filingTailoring = UInt64(filing.rawValue)
    }

    /// The tailoring alone: one look-up.
    static func filing(
        _ trees: borrowing some TreeReadable & ~Copyable
    ) throws(BookError) -> FilingTailoring {
        FilingTailoring(stored: try number(Name.filingTailoring, in: trees) ?? 0)
    }

    /// The next identifier, which is then used.
    mutating func takeIdentifier<Record>() throws(BookError) -> ID<Record> {
        guard let device = UInt32(exactly: device), (1..<IDLayout.placeholderDevice).contains(device),
            (1..<IDLayout.maximumCounter).contains(nextCounter)
        else { throw .damaged("the library has no identifiers left to give.") }
        defer { nextCounter += 1 }
        return ID(device: device, counter: nextCounter)
    }

    /// What of it differs from `old`, by name.
    func changes(since old: LibraryMeta?) -> [(name: [UInt8], value: [UInt8])] {
        var changes: [(name: [UInt8], value: [UInt8])] = []
        if format != old?.format { changes.append((Name.format, .bigEndian(format))) }
        if device != old?.device { changes.append((Name.device, .bigEndian(device))) }
        if nextCounter != old?.nextCounter { changes.append((Name.nextCounter, .bigEndian(nextCounter))) }
        if filingRules != old?.filingRules { changes.append((Name.filingRules, .bigEndian(filingRules))) }
        if filingTailoring != old?.filingTailoring ?? 0 {
            changes.append((Name.filingTailoring, .bigEndian(filingTailoring)))
        }
        return changes
    }

    static func randomDevice() -> UInt32 {
        UInt32.random(in: 1..<IDLayout.placeholderDevice)
    }

    private static func number(
        _ name: [UInt8], in trees: borrowing some TreeReadable & ~Copyable
    ) throws(BookError) -> UInt64? {
        try trees.stored(name, in: LibraryTree.meta) { $0.byteCount == 8 ? $0.loadBigEndian(at: 0) : nil } ?? nil
    }
}

extension LibraryTree {
    /// Whether the keys of a tree follow from the filing rules, and are to be made anew with them.
    static func dependsOnFilingRules(_ tree: TreeNumber) -> Bool {
        WorkIndex(tree) != nil || tree == matchKeys || tree == authorNames
    }
}
