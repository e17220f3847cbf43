import StorageEngine
import Testing

@testable import BookDB
@testable import RecordStore

struct WorkRowTests {
    @Test func `rows show what the items of a page show, in every order and both directions`() async throws {
        let store = try await BookStore.sample(works: 300)
        for order in WorkOrder.allCases {
            for direction in WorkDirection.allCases {
                for filter in [WorkFilter.all, .status(.read)] {
                    let list = store.snapshot.works.list(by: order, filter, direction: direction)
                    let items = try list.page(offset: 31, limit: 60)
                    #expect(items.count == 60)
                    let rows = try list.rows(offset: 31, limit: 60) { Shown($0) }
                    #expect(rows == items.map { Shown($0) }, "\(order) \(direction) \(filter)")
                }
            }
        }
    }

    @Test func `from cursor to cursor every row comes once, as from page to page`() async throws {
        let store = try await BookStore.sample(works: 130)
        for order in WorkOrder.allCases {
            let list = store.snapshot.works.list(by: order, direction: .reverse)
            var (cursor, found): (WorkCursor?, [BookDB.ID<Work>]) = (nil, [])
            repeat {
                let (rows, next) = try list.rows(after: cursor, limit: 50) { $0.id }
                #expect(next == (try list.page(after: cursor, limit: 50).next))
                found += rows
                cursor = next
            } while cursor != nil
            #expect(found == list.map(\.id))
        }
        #expect(throws: LibraryError.self) { try store.snapshot.works.list().rows(after: nil, limit: -1) { $0.id } }
    }

    @Test func `a page of rows ends with the list, and a negative offset is refused`() async throws {
        let list = try await BookStore.sample(works: 20).snapshot.works.list()
        #expect(try list.rows(offset: 15, limit: 50) { $0.id } == list.suffix(5).map(\.id))
        #expect(try list.rows(offset: 20, limit: 50) { $0.id } == [])
        #expect(try list[4..<8].rows(offset: 1, limit: 50) { $0.id } == list[5..<8].map(\.id))
        #expect(throws: LibraryError.self) { try list.rows(offset: -1, limit: 5) { $0.id } }
        #expect(throws: LibraryError.self) { try list.rows(offset: 0, limit: -5) { $0.id } }
    }
}

private struct Shown: Equatable {
    let id: BookDB.ID<Work>
    let texts: [String?]
    let year: Int?
    let language: LanguageCode?
    let finished: Day?
    let status: ReadingStatus
    let review: ReviewStatus
    let rating: Rating?
    let isOwned: Bool

    init(_ row: borrowing WorkRow) {
        id = row.id
        texts = [row.title, row.authors, row.coverURL]
        (year, language, finished) = (row.year, row.language, row.dateFinished)
        (status, review, rating, isOwned) = (row.status, row.reviewStatus, row.rating, row.isOwned)
    }

    init(_ row: WorkListItem) {
        id = row.id
        texts = [row.title, row.authors, row.coverURL]
        (year, language, finished) = (row.year, row.language, row.dateFinished)
        (status, review, rating, isOwned) = (row.status, row.reviewStatus, row.rating, row.isOwned)
    }
}
