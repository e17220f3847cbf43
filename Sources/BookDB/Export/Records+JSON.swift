/// The JSON form of the records, one line each. Members are only ever added, at the end.
extension Author {
    func jsonLine() -> String {
        var json = JSONWriter()
        json.object { json in
            json.member("type", "author")
            json.member("id", id.description)
            json.member("name", name)
            json.member("sortName", sortName)
        }
        return json.text
    }
}

extension Work {
    func jsonLine() -> String {
        var json = JSONWriter()
        json.object { json in
            json.member("type", "work")
            json.member("id", id.description)
            json.member("title", title)
            json.optional("subtitle", subtitle)
            json.optional("originalTitle", originalTitle)
            json.optional("sortTitle", sortTitle)
            json.list("authors", authors) { json, author in json.element(author.description) }
            json.optional("language", language)
            json.optional("firstPublicationYear", firstPublicationYear)
            json.optional("coverURL", coverURL)
            json.optional("description", description)
            json.list("subjects", subjects) { json, subject in json.element(subject) }
            json.list("series", series) { json, series in
                json.object { json in
                    json.member("name", series.name)
                    json.optional("number", series.number)
                }
            }
            json.member("reviewStatus", reviewStatus.name)
            json.member("dateAddedMilliseconds", added.since1970)
        }
        return json.text
    }
}

extension Edition {
    func jsonLine() -> String {
        var json = JSONWriter()
        json.object { json in
            json.member("type", "edition")
            json.member("id", id.description)
            json.member("work", work.description)
            json.list("isbns", isbns) { json, isbn in json.element(isbn.description) }
            json.optional("unparsedISBN", unparsedISBN)
            json.optional("title", title)
            json.optional("publisher", publisher)
            json.optional("pageCount", pageCount)
            json.optional("format", format)
            json.optional("publicationYear", publicationYear)
            json.optional("language", language)
            json.list("identifiers", identifiers) { json, identifier in
                json.object { json in
                    json.member("source", identifier.source)
                    json.member("value", identifier.value)
                }
            }
        }
        return json.text
    }
}

extension UserLibraryEntry {
    func jsonLine() -> String {
        var json = JSONWriter()
        json.object { json in
            json.member("type", "entry")
            json.member("work", work.description)
            json.member("status", status.name)
            if let rating { json.member("rating", rating.stars) }
            json.optional("dateStarted", dateStarted?.description)
            json.optional("dateFinished", dateFinished?.description)
            json.member("readCount", readCount)
            json.optional("notes", notes)
            json.optional("review", review)
            json.list("tags", tags) { json, tag in json.element(tag) }
            json.member("isOwned", isOwned)
        }
        return json.text
    }
}

extension JSONWriter {
    fileprivate mutating func optional(_ name: String, _ value: String?) {
        if let value { member(name, value) }
    }

    fileprivate mutating func optional(_ name: String, _ value: Int?) {
        if let value { member(name, value) }
    }

    /// Left out when empty.
    fileprivate mutating func list<Value>(
        _ name: String, _ values: [Value], _ write: (inout JSONWriter, Value) -> Void
    ) {
        guard !values.isEmpty else { return }
        array(name) { json in
            for value in values { write(&json, value) }
        }
    }
}
