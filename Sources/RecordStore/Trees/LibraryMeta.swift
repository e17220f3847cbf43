import Filing
import StorageEngine

/// What a library knows about itself, kept in its own tree so that it changes with the commit that changes it.
///
/// Every value is a number of eight big-endian bytes under a name.
package struct LibraryMeta: Equatable, Sendable {
    /// The format of the records, keys and rows; trees of a higher one cannot be read by this version.
    package var format: UInt64

    /// The high 24 bits of every identifier given out here. Never 0 and never the placeholder's; drawn once for each store, see `entered`.
    package var device: UInt64

    /// The number of the store that the device was drawn in; 0 where none was.
    private var deviceStore: UInt64 = 0

    /// What the next identifier begins with, in a store that is another than the one the device was drawn in.
    private var renewal: Renewal?

    private struct Renewal: Equatable {
        let device: UInt64
        let store: UInt64
    }

    /// The counter of the next identifier; one for all types of records.
    package var nextCounter: UInt64

    /// The rules by which what the library keeps beside declared records was derived from its records; 0 where nothing was. See
    /// `LibraryContents.rules`.
    package var filingRules: UInt64

    /// Where the library files the letters that languages place differently; a change is one of rules.
    package var filing: FilingTailoring {
        get { FilingTailoring(stored: filingTailoring) }
        set {
            filingTailoring = UInt64(newValue.rawValue)
            filedAs = filingTailoring
        }
    }

    /// As it was chosen, be it one that only a later version knows.
    private var filingTailoring: UInt64

    /// Whether this version knows the tailoring that was chosen.
    var knowsFiling: Bool { filingTailoring == UInt64(filing.rawValue) }

    /// What the library is filed by: `standard` where this version made it and does not know the tailoring that was chosen.
    private var filedAs: UInt64

    /// Whether sample data was put into the library, which is done once.
    package var isSeeded = false

    /// Whether a record came in under an identifier of another library, which the counter does not tell.
    private var hasOthers = false

    /// What later versions have added to the library, a bit for each, as `FormatFeatures` of a file. This version knows none.
    private var readOnlyFeatures: UInt64 = 0
    private var incompatibleFeatures: UInt64 = 0

    /// Whether the library ever had a record, be it gone again.
    package var hasHadRecords: Bool { nextCounter > 1 || hasOthers }

    package static let currentFormat: UInt64 = 1

    package enum Name {
        static let format = Array("format".utf8)
        static let device = Array("device".utf8)
        static let nextCounter = Array("next-counter".utf8)
        static let seeded = Array("seeded".utf8)
        static let hasOthers = Array("has-others".utf8)
        static let filingRules = Array("filing-rules".utf8)
        package static let filingTailoring = Array("filing-tailoring".utf8)
        static let filedAs = Array("filed-as".utf8)
        static let deviceStore = Array("device-store".utf8)
        package static let readOnlyFeatures = Array("read-only-features".utf8)
        package static let incompatibleFeatures = Array("incompatible-features".utf8)

        /// All that a library may have.
        package static let all = [
            format, device, deviceStore, nextCounter, seeded, hasOthers, filingRules, filingTailoring, filedAs,
            readOnlyFeatures, incompatibleFeatures,
        ]
    }

    /// A library that begins.
    package init(device: UInt32, filing: FilingTailoring = .standard, rules: UInt64 = 0) {
        format = Self.currentFormat
        self.device = UInt64(device)
        nextCounter = 1
        filingRules = rules
        filingTailoring = UInt64(filing.rawValue)
        filedAs = filingTailoring
    }

    /// `nil` for a store in which nothing was written yet. One descent: every transaction begins with it.
    package init?(_ trees: borrowing some TreeReadable & ~Copyable) throws(LibraryError) {
        var stored: [(name: [UInt8], number: UInt64)] = []
        stored.reserveCapacity(Name.all.count)
        try translatingErrors {
            try trees.scan(LibraryTree.meta) { key, value in
                guard value.byteCount == 8,
                    let name = Name.all.first(where: { $0.withBytes { key.order(relativeTo: $0) == 0 } })
                else { return true }
                stored.append((name, value.loadBigEndian(at: 0)))
                return true
            }
        }
        func number(_ name: [UInt8]) -> UInt64? { stored.first { $0.name == name }?.number }
        guard let format = number(Name.format) else { return nil }
        self.format = format
        device = number(Name.device) ?? 0
        deviceStore = number(Name.deviceStore) ?? 0
        nextCounter = number(Name.nextCounter) ?? 1
        filingRules = number(Name.filingRules) ?? 0
        filingTailoring = number(Name.filingTailoring) ?? 0
        filedAs = number(Name.filedAs) ?? filingTailoring
        readOnlyFeatures = number(Name.readOnlyFeatures) ?? 0
        incompatibleFeatures = number(Name.incompatibleFeatures) ?? 0
        isSeeded = number(Name.seeded) ?? 0 > 0
        hasOthers = number(Name.hasOthers) ?? 0 > 0
    }

    /// Whether what is derived is as some rules have it: not where a later version filed by a tailoring of its own.
    package func isDerived(by rules: UInt64) -> Bool { filingRules == rules && filedAs == UInt64(filing.rawValue) }

    /// The choice stays, for the version that knows it.
    package mutating func noteDerived(by rules: UInt64) {
        filingRules = rules
        filedAs = UInt64(filing.rawValue)
    }

    /// - Throws: `.tooNew`, and `.unknownFeatures` for a library that cannot be read without knowing more, or not be written to.
    package func require(forWriting isForWriting: Bool, _ path: String) throws(StorageError) {
        guard format <= Self.currentFormat else {
            throw .newerFormat(
                path: path, found: UInt32(clamping: format), supported: UInt32(Self.currentFormat))
        }
        guard incompatibleFeatures == 0 else {
            throw .unknownFeatures(path: path, bits: UInt32(clamping: incompatibleFeatures), canBeRead: false)
        }
        guard readOnlyFeatures == 0 || !isForWriting else {
            throw .unknownFeatures(path: path, bits: UInt32(clamping: readOnlyFeatures), canBeRead: true)
        }
    }

    /// What a library in a store is written to with. In a store that was restored to an earlier commit, or repaired, the device of before has given out
    /// identifiers that the library does not know of: a new one is drawn with the next.
    ///
    /// - Parameters:
    ///   - store: the number of the store.
    ///   - isNew: whether the library begins in it.
    ///   - newDevice: for one that does, where the store has taken the place of another.
    func entered(_ store: UInt64, isNew: Bool, newDevice: UInt32?) -> LibraryMeta {
        var meta = self
        meta.renewal = nil
        if isNew {
            meta.deviceStore = store
            if let newDevice { meta.device = UInt64(newDevice) }
        }
        if meta.deviceStore != store {
            var drawn = UInt64(Self.randomDevice())
            while drawn == device { drawn = UInt64(Self.randomDevice()) }
            meta.renewal = Renewal(device: drawn, store: store)
        }
        return meta
    }

    /// The tailoring alone: one look-up.
    package static func filing(
        _ trees: borrowing some TreeReadable & ~Copyable
    ) throws(LibraryError) -> FilingTailoring {
        FilingTailoring(stored: try number(Name.filingTailoring, in: trees) ?? 0)
    }

    /// Whether identifiers can be of its device: not in a library whose own word was damaged.
    package var hasPossibleDevice: Bool { (1..<UInt64(IDLayout.placeholderDevice)).contains(device) }

    /// The next identifier, which is then used.
    mutating func takeIdentifier<Record>() throws(LibraryError) -> ID<Record> {
        if let renewal {
            (device, deviceStore, nextCounter) = (renewal.device, renewal.store, 1)
            self.renewal = nil
        }
        guard hasPossibleDevice, let device = UInt32(exactly: device) else {
            throw .damaged("the library's device is \(device), which no identifier can have.")
        }
        guard (1..<IDLayout.maximumCounter).contains(nextCounter) else {
            throw .damaged("the library has no identifiers left to give.")
        }
        defer { nextCounter += 1 }
        return ID(device: device, counter: nextCounter)
    }

    /// Whether an identifier may come from outside: not one behind which the library would have few left to give.
    func mayBeGiven(_ device: UInt32, _ counter: UInt64) -> Bool {
        UInt64(device) != self.device || counter < max(nextCounter, IDLayout.maximumCounter / 2)
    }

    /// Goes past an identifier that came from outside, if it is one of this library's own.
    mutating func noteGiven(_ device: UInt32, _ counter: UInt64) {
        if UInt64(device) == self.device {
            nextCounter = max(nextCounter, counter + 1)
        } else if nextCounter == 1 {
            hasOthers = true
        }
    }

    /// What of it differs from `old`, by name.
    package func changes(since old: LibraryMeta?) -> [(name: [UInt8], value: [UInt8])] {
        var changes: [(name: [UInt8], value: [UInt8])] = []
        if format != old?.format { changes.append((Name.format, .bigEndian(format))) }
        if device != old?.device { changes.append((Name.device, .bigEndian(device))) }
        if deviceStore != old?.deviceStore ?? 0 { changes.append((Name.deviceStore, .bigEndian(deviceStore))) }
        if nextCounter != old?.nextCounter { changes.append((Name.nextCounter, .bigEndian(nextCounter))) }
        if filingRules != old?.filingRules ?? 0 { changes.append((Name.filingRules, .bigEndian(filingRules))) }
        if filingTailoring != old?.filingTailoring ?? 0 {
            changes.append((Name.filingTailoring, .bigEndian(filingTailoring)))
        }
        if filedAs != old?.filedAs ?? filingTailoring { changes.append((Name.filedAs, .bigEndian(filedAs))) }
        if isSeeded, old?.isSeeded != true { changes.append((Name.seeded, .bigEndian(1))) }
        if hasOthers, old?.hasOthers != true { changes.append((Name.hasOthers, .bigEndian(1))) }
        return changes
    }

    package static func randomDevice() -> UInt32 {
        UInt32.random(in: 1..<IDLayout.placeholderDevice)
    }

    private static func number(
        _ name: [UInt8], in trees: borrowing some TreeReadable & ~Copyable
    ) throws(LibraryError) -> UInt64? {
        try trees.stored(name, in: LibraryTree.meta) { $0.byteCount == 8 ? $0.loadBigEndian(at: 0) : nil } ?? nil
    }
}
