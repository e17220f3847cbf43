import RecordStore
import Foundation

/// Stands for what an app lends.
enum Thing {}

/// What an app of things to lend might keep.
struct Loan: Record, Equatable {
    var id: ID<Loan> = .unassigned
    var work: Reference<Thing> = .unassigned
    var borrower = ""
    var due: Date?
    enum CodingKeys: Int, CodingKey { case id, work, borrower, due }
    static let indexes = [Index(\.work), Index(\.due), Index(\.borrower)]
}

/// A record with a field of every kind that can be stored.
struct Everything: Record, Equatable {
    enum Shelf: String, Codable, CaseIterable { case none, hall, attic }
    enum Level: Int, Codable { case low = 1, high = 2 }
    enum Shape: Codable, Equatable { case point, circle(radius: Double), box(Int, Int) }

    struct Place: Codable, Equatable {
        var room = "study"
        var shelf: Int8? = 3
        enum CodingKeys: Int, CodingKey { case room, shelf = 20 }
    }

    struct Named: Codable, Equatable {
        var first = "A"
        var second: [String]? = ["b", ""]
    }

    var id: ID<Everything> = .unassigned
    var flag = true
    var integer = -1
    var small: Int8 = .min
    var large = UInt64.max
    var least = Int64.min
    var double = -0.1
    var float: Float = .infinity
    var text = "Füße\u{0} 👩‍👩‍👧"
    var work: ID<Thing> = .init(device: 7, counter: 9)
    var day = Day(daysSince1970: -3)
    var date = Date(timeIntervalSince1970: 1_700_000_000.123_456)
    var data = Data([0, 255])
    var bytes: [UInt8] = [1, 2, 3]
    var uuid = UUID(uuid: (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16))
    var url = URL(string: "https://example.org/a?b=c")!
    var decimal = Decimal(string: "-12345678901234567890.125")!
    var shelf = Shelf.attic
    var level = Level.high
    var shapes: [Shape] = [.point, .circle(radius: 2), .box(1, -1)]
    var place = Place()
    var named = Named()
    var places: [Place] = [Place(), Place(room: "", shelf: nil)]
    var numbers: [Int] = [0, -1, 300]
    var gaps: [Int?] = [nil, 1, nil, nil, 2, nil]
    var grid: [[String]] = [[], ["a"], ["", "b"]]
    var byName: [String: Int] = ["one": 1, "12": 12, "": 0]
    var byNumber: [Int: Place] = [-1: Place(), 7: Place(room: "x", shelf: nil)]
    var byShelf: [Shelf: [Int]] = [.hall: [1]]
    var set: Set<String> = ["only"]
    var amount = Money(4)
    var absent: String?
    var present: String? = ""
    var twice: Int?? = .some(.some(4))

    enum CodingKeys: Int, CodingKey {
        case flag, integer, small, large, least, double, float, text, work, day, date, data, bytes, uuid, url, decimal
        case shelf, level, shapes, place, named, places, numbers, gaps, grid, byName, byNumber, byShelf, set, amount
        case absent, present, twice
        case id = 1000
    }
}
