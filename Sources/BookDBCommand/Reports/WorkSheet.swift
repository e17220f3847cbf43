import BookDB

/// One work for people, on one page.
enum WorkSheet {
    static func lines(_ details: WorkDetails, others: [ID<Work>], style: Style) -> [String] {
        let work = details.work
        var lines = Paragraph.lines(work.title + (work.subtitle.map { ": \($0)" } ?? ""), indent: 0).map(style.bold)
        if !details.authors.isEmpty {
            lines += Paragraph.lines("by " + details.authors.map(\.name).joined(separator: ", "))
        }
        lines += Paragraph.lines(facts(work).joined(separator: " · "))
        if let excerpt = work.excerpt {
            lines += [""] + Paragraph.lines("“\(excerpt)”")
        }
        if let description = work.description {
            lines += [""] + Paragraph.lines(description)
        }
        if let entry = details.entry {
            lines += ["", style.bold("READING")] + reading(entry)
        }
        if !details.editions.isEmpty {
            lines += ["", style.bold("EDITIONS")] + details.editions.flatMap(edition)
        }
        lines += ["", style.bold("RECORD")] + record(work)
        if !others.isEmpty {
            let list = others.map(\.description).joined(separator: ", ")
            lines += Paragraph.lines("The same ISBN is also in \(list).")
        }
        return lines
    }

    private static func facts(_ work: Work) -> [String] {
        var facts: [String] = []
        if let year = work.firstPublicationYear { facts.append("first published \(Years.text(year))") }
        facts += work.series.map { series in series.number.map { "\(series.name) #\($0)" } ?? series.name }
        if let language = work.language { facts.append("language \(language)") }
        if let original = work.originalTitle { facts.append("original title \(original)") }
        if !work.subjects.isEmpty { facts.append(work.subjects.joined(separator: ", ")) }
        return facts
    }

    private static func reading(_ entry: UserLibraryEntry) -> [String] {
        var facts = [entry.status == .none ? "no status" : entry.status.name]
        if let rating = entry.rating { facts.append("\(rating) stars") }
        switch (entry.dateStarted, entry.dateFinished) {
        case (let started?, let finished?): facts.append("\(started) to \(finished)")
        case (let started?, nil): facts.append("since \(started)")
        case (nil, let finished?): facts.append("finished \(finished)")
        case (nil, nil): break
        }
        if entry.readCount > 1 { facts.append("read \(entry.readCount) times") }
        if entry.isOwned { facts.append("owned") }
        var lines = Paragraph.lines(facts.joined(separator: " · "))
        if !entry.tags.isEmpty { lines += Paragraph.lines("tags: " + entry.tags.joined(separator: ", ")) }
        if let notes = entry.notes { lines += Paragraph.lines("notes: " + notes) }
        if let review = entry.review { lines += Paragraph.lines("review: " + review) }
        return lines
    }

    private static func edition(_ edition: Edition) -> [String] {
        var facts = edition.isbns.map { "ISBN \($0)" }
        if let unparsed = edition.unparsedISBN { facts.append("ISBN as given, not valid: \(unparsed)") }
        if let title = edition.title { facts.append(title) }
        if let format = edition.format { facts.append(format) }
        if let pages = edition.pageCount { facts.append(NumberText.count(pages, "page")) }
        if let publisher = edition.publisher { facts.append(publisher) }
        if let year = edition.publicationYear { facts.append(Years.text(year)) }
        if let language = edition.language { facts.append(language) }
        facts += edition.identifiers.map { "\($0.source) \($0.value)" }
        return Paragraph.lines(facts.isEmpty ? "nothing known" : facts.joined(separator: " · "))
    }

    private static func record(_ work: Work) -> [String] {
        var facts = [work.id.description, "added \(TimeText.day(work.dateAdded))", work.reviewStatus.name]
        if let sortTitle = work.sortTitle { facts.append("filed as \(sortTitle)") }
        if let cover = work.coverURL { facts.append(cover) }
        return Paragraph.lines(facts.joined(separator: " · "))
    }
}
