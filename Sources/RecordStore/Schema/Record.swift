/// An app's own record: a plain struct that a library keeps.
///
/// ```swift
/// struct Loan: Record {
///     var id: ID<Loan> = .unassigned
///     var item: Reference<Item> = .unassigned
///     var borrower = ""
///     var due: Date?
///     enum CodingKeys: Int, CodingKey { case id = 0, item = 1, borrower = 2, due = 3 }
///     static let indexes = [Index(\.item), Index(\.due)]
/// }
/// ```
///
/// A field is stored under the number of its coding key, so it may be renamed and moved about. A new field gets a new number;
/// the number of a field that goes stays unused. Without numbered keys a record does not compile.
///
/// Reading never fails for want of a field of the record: one that was not written is `nil` where it is optional, and otherwise
/// what `blank` has there. A field that this version of the app does not know stays in the record when it is updated; within a nested
/// value, as long as that is not changed. A record takes up to 16 MiB.
///
/// A field whose type has coding of its own is read again before it is stored. What is stored says not of which type it is, so a type that tries one type
/// after the other, such as an enumeration of JSON values, may read what it did not write; such a value is refused with `LibraryError.invalidValue`. Let each
/// case have a key of its own, as Swift makes them, or keep the value as `Data`. What it writes in another order each time, such as JSON, or as something
/// else altogether, such as what it seals, is taken as it is.
/// `.some(nil)` of an optional within an optional is read as `nil`, and an address that is relative to another as the whole address: Swift writes
/// both alike.
/// A type around a raw value that is no number and no text has no order, unless its coding writes and reads the raw value alone.
///
/// A field that names another record is a `Reference`; `ID` may stand for the type of the record's own identifier there.
///
/// The identifier is the library's to give and is kept outside the fields: `insert` takes a record with `.unassigned`.
public protocol Record: Codable, Identifiable, Sendable where ID == RecordStore.ID<Self> {
    associatedtype CodingKeys: CodingKey, RawRepresentable where CodingKeys.RawValue == Int

    /// A record of which nothing was written yet. Swift makes it where every field has a default or is optional; a public type says
    /// `public init() {}` itself.
    init()

    /// What fields have that were never written, since the record is older than they are, unless they are optional: `Self()`
    /// unless said otherwise.
    ///
    /// Asked for twice when the type is first used. A field that is another the second time, or has something within that is, such as
    /// `Date()` or `UUID()`, is a value for new records only: older ones have 0 there, `""`, `false`, nothing or the first case.
    /// What orders and indexes use of it is stored with them, and they are made anew when it changes; of those that go by upgrades or by what is computed
    /// all of it, since code may read any field. A default that changes from
    /// day to day, or by chance, may look steady and is not: say another here.
    static var blank: Self { get }

    /// What the library calls this kind of record: 1 to 64 bytes, the type's name unless said otherwise. Say it before the type
    /// is renamed.
    static var recordName: String { get }

    /// The fields by which records are found and sorted without reading all of them.
    static var indexes: [RecordIndex<Self>] { get }

    /// What at most one record of the type may have; see `UniqueKey`.
    static var uniqueKeys: [UniqueKey<Self>] { get }

    /// Changes to records that an earlier version of the app wrote; see `Upgrade`.
    static var upgrades: [Upgrade<Self>] { get }

    /// The version that records are written as: that of the highest upgrade, 1 without any, unless it is said.
    ///
    /// A type whose upgrades have done their work on all records, and were taken out, goes on to say it: `static let recordVersion = 2`. Else an earlier version of
    /// the app would take what this one writes for records of version 1, and upgrade them.
    static var recordVersion: Int { get }

    /// The orders that the records are kept in, what is summed and counted in them, and what deleting does; see `RecordOrder`,
    /// `RecordFacet` and `RecordLink`.
    static var schema: RecordStore.Schema<Self> { get }
}

extension Record {
    /// `Index(\.due)`
    public typealias Index = RecordIndex<Self>

    /// `Unique(\.name)`
    public typealias Unique = UniqueKey<Self>

    /// `Schema { Order("newest", .descending(\.date)) }`
    public typealias Schema = RecordStore.Schema<Self>

    /// `Facet(\.isPending)`
    public typealias Facet = RecordFacet<Self>

    /// `Link(\.account, onDelete: .cascade)`
    public typealias Link = RecordLink<Self>

    /// `Renamed(\.memo, from: "note")`
    public typealias Renamed = RecordRename<Self>

    /// `Retyped(\.due)`
    public typealias Retyped = RecordRetype<Self>

    /// `Order("newest", .descending(\.date))`
    public typealias Order = RecordOrder<Self>

    /// `Home(Order("by title", .filed(\.title)))`
    public typealias Home = RecordHome<Self>

    /// `Stand(\.to, .descending(\.date)).sum(\.received)`
    public typealias Stand = RecordStand<Self>

    public static var recordName: String { String(describing: Self.self) }
    public static var indexes: [RecordIndex<Self>] { [] }
    public static var uniqueKeys: [UniqueKey<Self>] { [] }
    public static var upgrades: [Upgrade<Self>] { [] }
    public static var recordVersion: Int { upgrades.map(\.version).max() ?? 1 }
    public static var schema: RecordStore.Schema<Self> { RecordStore.Schema {} }
    public static var blank: Self { Self() }
}
