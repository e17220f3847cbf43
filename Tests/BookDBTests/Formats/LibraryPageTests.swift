import StorageEngine
import TestSupport
import Testing

@testable import BookDB
@testable import RecordStore

/// The tables of `Formats/LIBRARY.md`, compared with what the library declares and writes.
@Suite struct LibraryPageTests {
    private let page: FormatPage

    init() throws { page = try #require(FormatPage("LIBRARY.md")) }

    @Test func `the trees are those of the page`() throws {
        let table = try #require(page.table("Trees"))
        #expect(table.rows.count == LibraryContents.books.allTrees.count)
        for (row, tree) in zip(table.rows, LibraryContents.books.allTrees) {
            #expect(row[0] == String(tree.number.rawValue) && row[1] == tree.name)
            #expect(row[4] == (tree.facetCount > 0 ? String(tree.facetCount) : ""), "\(tree.name)")
            #expect(row[3].contains("cold placement") == (tree.placement == .cold), "\(tree.name)")
        }
        let meta = try #require(table.rows.first { $0[1] == "meta" }?[2])
        for name in LibraryMeta.Name.all {
            #expect(meta.contains("`\(String(decoding: name, as: UTF8.self))`"))
        }
    }

    @Test func `the facets are those of the page`() throws {
        let text = page.lines.joined(separator: " ")
        let statuses = ReadingStatus.allCases.sorted { $0.rawValue < $1.rawValue }.map(\.name).joined(separator: ", ")
        let reviews = ReviewStatus.allCases.sorted { $0.rawValue < $1.rawValue }.map(\.name).joined(separator: ", ")
        #expect(text.contains("0–5 reading status \(statuses); 6–8 review status \(reviews); 9 owned"))
        #expect(ReadingStatus.allCases.map { WorkFacet.status($0).index } == Array(0...5))
        #expect(ReviewStatus.allCases.map { WorkFacet.review($0).index } == Array(6...8))
        #expect(WorkFacet.owned.index == 9 && WorkFacet.count == 10)
    }

    @Test func `a list row has its fields where the page says`() throws {
        let row = WorkListRow(
            status: .paused, rating: Rating(quarterStars: 19), reviewStatus: .needsAttention, isOwned: true,
            year: 0x1234, dateFinished: Day(daysSince1970: 0x0123_4567), language: "en", title: "Title",
            authors: "Authors", coverURL: "http://a.b/covers/7", otherNames: "Other")
        let bytes = row.encoded()
        let expected: [String: [UInt8]] = [
            "status": [4], "rating": [19], "flags": [0b1110], "year": [0x34, 0x12],
            "language": [0x65, 0x6E, 0], "titleCount": [5], "authorsCount": [7], "coverCount": [20],
            "finished": [0x67, 0x45, 0x23, 0x01],
        ]
        let table = try #require(page.table("List row"))
        #expect(Set(table.rows.dropLast(2).map { $0[3] }) == Set(expected.keys))
        for field in table.rows.dropLast(2) {
            let offset = try #require(Int(field[0]))
            let size = try #require(Int(field[1]))
            #expect(Array(bytes[offset..<offset + size]) == expected[field[3]], "\(field[3])")
        }
        #expect(table.rows.suffix(2).map { $0[3] } == ["title, authors, other names", "cover"])
        let texts = try #require(table.rows.dropLast().last.flatMap { Int($0[0]) })
        #expect(String(decoding: bytes[texts...].dropLast(20), as: UTF8.self) == "TitleAuthorsOther")
        #expect(Array(bytes.suffix(20)) == [18] + Array("7http://a.b/covers/".utf8))
        typealias Layout = WorkListRow.Layout
        let limits = [Layout.maximumTitleByteCount, Layout.maximumAuthorsByteCount, Layout.maximumOtherNamesByteCount]
        #expect(Set(limits) == [16 << 10] && page.lines.contains { $0.contains("have at most 16,384 bytes each") })
        #expect(page.lines.contains { $0.contains("longer than \(Layout.maximumCoverByteCount) bytes") })
    }

    @Test func `a row with long counts and one without a day have what follows where the page says`() throws {
        func row(_ title: String, _ day: Day?) -> WorkListRow {
            WorkListRow(
                status: .read, rating: nil, reviewStatus: .unreviewed, isOwned: false, year: nil, dateFinished: day,
                language: nil, title: title, authors: "Authors", coverURL: nil, otherNames: "Other")
        }
        for (count, day) in [(255, nil), (255, Day(daysSince1970: .min)), (256, nil), (256, Day(daysSince1970: -1))] {
            let title = String(repeating: "t", count: count)
            let bytes = row(title, day).encoded()
            let (isLong, hasDay) = (count > 255, day != nil)
            #expect(bytes[2] == (hasDay ? 8 : 0) | (isLong ? 16 : 0))
            #expect(Array(bytes[8..<(isLong ? 14 : 11)]) == (isLong ? [0, 1, 7, 0, 0, 0] : [255, 7, 0]))
            let texts = 11 + (isLong ? 3 : 0) + (hasDay ? 4 : 0)
            #expect(String(decoding: bytes[texts...], as: UTF8.self) == title + "AuthorsOther")
            let read = bytes.withBytes { row in
                StoredRow.isReadable(row)
                    ? [
                        StoredRow.title(row), StoredRow.authors(row), StoredRow.coverURL(row, StoredRow.texts(row)),
                        StoredRow.otherNames(row),
                    ] : []
            }
            #expect(read == [title, "Authors", nil, "Other"])
            #expect(bytes.withBytes { StoredRow.dateFinished($0) } == day)
            // Cut short anywhere before its other names, it is not read.
            let readable = bytes.withBytes { row in
                (0...bytes.count).first { StoredRow.isReadable(row.extracting(0..<$0)) }
            }
            #expect(readable == bytes.count - 5)
        }
    }

    @Test func `the tags, wire types and names of records are those of the page`() throws {
        let table = try #require(page.table("Records"))
        let known = RecordSchema.all.flatMap { schema in
            schema.fields.map { [schema.name, String($0.tag), String($0.kind.wireType), $0.name] }
        }
        #expect(table.rows.map { Array($0.prefix(4)) } == known)
        #expect(page.lines.contains { $0.contains("Tag \(ReservedTag.stamps) is reserved") })
    }

    @Test func `a record with every field has every tag of the page, each of the wire type it says`() throws {
        let work = Work.full(by: ID(rawValue: 1))
        let edition = Edition.full(of: ID(rawValue: 2))
        let entry = UserLibraryEntry.full(for: ID(rawValue: 3))
        let records: [(schema: RecordSchema, bytes: [UInt8])] = [
            (.work, work.encodedRecord()), (.edition, edition.encodedRecord()), (.entry, entry.encodedRecord()),
            (.author, Author("A B").encodedRecord()), (.series, work.series[0].encodedRecord()),
            (.identifier, edition.identifiers[0].encodedRecord()),
        ]
        #expect(records.count == RecordSchema.all.count)
        for (schema, bytes) in records {
            var lines: [String] = []
            var dump = RecordDump(DumpText { lines.append($0) })
            dump.record(bytes, schema)
            #expect(dump.finish().misfitCount == 0)
            for field in schema.fields {
                let words = "tag \(field.tag), wire type \(field.kind.wireType): \(field.name) "
                #expect(lines.contains { $0.contains(words) }, "\(schema.name): \(words)")
            }
            #expect(!lines.contains { $0.contains("unknown here") || $0.contains("belong") }, "\(schema.name)")
        }
    }
}
