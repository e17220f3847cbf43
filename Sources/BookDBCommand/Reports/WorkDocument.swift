import BookDB

/// One work as JSON: `bookdb.get/1`.
enum WorkDocument {
    static func text(_ details: WorkDetails, others: [ID<Work>]) -> String {
        var json = JSONWriter()
        json.object { json in
            json.member("schema", "bookdb.get/1")
            add(details.work, to: &json)
            json.array("authors") { json in
                for author in details.authors {
                    json.object { json in
                        json.member("id", author.id.description)
                        json.member("name", author.name)
                        json.member("sortName", author.sortName)
                    }
                }
            }
            json.array("editions") { json in
                for edition in details.editions { add(edition, to: &json) }
            }
            if let entry = details.entry {
                json.object("entry") { json in add(entry, to: &json) }
            } else {
                json.null("entry")
            }
            json.array("others") { json in
                for other in others { json.element(other.description) }
            }
        }
        return json.text
    }

    private static func add(_ work: Work, to json: inout JSONWriter) {
        json.member("id", work.id.description)
        json.member("title", work.title)
        json.optional("subtitle", work.subtitle)
        json.optional("originalTitle", work.originalTitle)
        json.optional("sortTitle", work.sortTitle)
        json.optional("language", work.language)
        json.optional("year", work.firstPublicationYear)
        json.optional("coverURL", work.coverURL)
        json.optional("description", work.description)
        json.array("subjects") { json in work.subjects.forEach { json.element($0) } }
        json.array("series") { json in
            for series in work.series {
                json.object { json in
                    json.member("name", series.name)
                    json.optional("number", series.number)
                }
            }
        }
        json.member("reviewStatus", work.reviewStatus.name)
        json.member("dateAdded", TimeText.text(work.dateAdded))
        json.optional("excerpt", work.excerpt)
    }

    private static func add(_ edition: Edition, to json: inout JSONWriter) {
        json.object { json in
            json.member("id", edition.id.description)
            json.array("isbns") { json in edition.isbns.forEach { json.element($0.description) } }
            json.optional("unparsedISBN", edition.unparsedISBN)
            json.optional("title", edition.title)
            json.optional("publisher", edition.publisher)
            json.optional("pageCount", edition.pageCount)
            json.optional("format", edition.format)
            json.optional("year", edition.publicationYear)
            json.optional("language", edition.language)
            json.array("identifiers") { json in
                for identifier in edition.identifiers {
                    json.object { json in
                        json.member("source", identifier.source)
                        json.member("value", identifier.value)
                    }
                }
            }
        }
    }

    private static func add(_ entry: UserLibraryEntry, to json: inout JSONWriter) {
        json.member("status", entry.status.name)
        json.optional("rating", entry.rating?.stars)
        json.optional("dateStarted", entry.dateStarted?.description)
        json.optional("dateFinished", entry.dateFinished?.description)
        json.member("readCount", entry.readCount)
        json.member("isOwned", entry.isOwned)
        json.array("tags") { json in entry.tags.forEach { json.element($0) } }
        json.optional("notes", entry.notes)
        json.optional("review", entry.review)
    }
}
