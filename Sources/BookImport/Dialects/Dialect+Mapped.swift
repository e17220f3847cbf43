extension Dialect {
    /// Any table: columns are known by what people call them in English, German, French and Spanish.
    ///
    /// A column that could be two things is not guessed, and neither is an identifier: a mapping says so. A `note` is a rating in French and a
    /// remark in English, an `editor` who publishes a book or who put it together.
    static let mapped = Dialect(
        .csv, name: "CSV", signature: [],
        columns: Dictionary(
            words.flatMap { field, words in words.map { ($0, field) } }, uniquingKeysWith: { first, _ in first }),
        source: nil,
        habits: [.seriesInTitle, .numberedTitles])

    private static let words: [(BookField, [String])] = [
        (.title, ["title", "book title", "titel", "buchtitel", "titre", "título", "titulo"]),
        (.subtitle, ["subtitle", "untertitel", "sous-titre", "subtítulo", "subtitulo"]),
        (.originalTitle, ["original title", "originaltitel", "titre original", "título original"]),
        (.sortTitle, ["title sort", "sort title", "sorttitle"]),
        (.authors, ["author", "authors", "author(s)", "writer", "creators", "creator", "primary author"]),
        (.authors, ["autor", "autoren", "autorin", "autor(en)", "autor/in", "verfasser", "verfasserin"]),
        (.authors, ["auteur", "auteurs", "auteur(s)", "autores", "autora", "autor(es)"]),
        (.authorSort, ["author sort", "author l f", "author (last, first)"]),
        (.moreAuthors, ["additional authors", "secondary author", "weitere autoren", "coauteurs", "coautores"]),
        (.isbn, ["isbn", "isbn10", "isbn-10", "isbn13", "isbn-13", "isbns", "isbn/uid", "ean", "ean isbn13"]),
        (.isbn, ["upc isbn10", "isbn 10/13"]),
        (.publisher, ["publisher", "verlag", "éditeur", "editeur", "maison d'édition", "editorial"]),
        (.pages, ["pages", "page count", "number of pages", "num pages", "seiten", "seitenzahl", "seitenanzahl"]),
        (.pages, ["nombre de pages", "páginas", "paginas", "número de páginas"]),
        (.format, ["format", "binding", "media", "einband", "reliure", "formato", "encuadernación"]),
        (.year, ["year", "year published", "publication year", "publish date", "publication date", "published"]),
        (.year, ["pubdate", "jahr", "erscheinungsjahr", "erschienen", "année", "annee", "date de publication"]),
        (.year, ["parution", "año", "fecha de publicación", "año de publicación"]),
        (.firstYear, ["original publication year", "first published", "erstveröffentlichung", "erstausgabe"]),
        (.firstYear, ["première publication", "primera publicación"]),
        (.language, ["language", "languages", "language code", "sprache", "langue", "idioma", "lengua"]),
        (.series, ["series", "serie", "reihe", "buchreihe", "série", "saga"]),
        (.seriesNumber, ["series number", "series index", "series #", "number in series", "volume", "vol."]),
        (.seriesNumber, ["band", "bandnummer", "tome", "tomo", "volumen"]),
        (.cover, ["cover", "cover url", "coverurl", "image url", "umschlag", "couverture", "portada"]),
        (.description, ["description", "summary", "synopsis", "beschreibung", "zusammenfassung", "klappentext"]),
        (.description, ["inhalt", "résumé", "resumen", "sinopsis", "descripción"]),
        (.subjects, ["subjects", "subject", "genre", "genres", "category", "categories", "kategorie", "kategorien"]),
        (.subjects, ["thema", "themen", "sujet", "sujets", "catégorie", "género", "tema", "temas", "categoría"]),
        (.sourceID, ["identifiers"]),
        (.status, ["status", "read status", "reading status", "exclusive shelf", "shelf", "lesestatus"]),
        (.status, ["statut", "état", "estado", "regal"]),
        (.rating, ["rating", "my rating", "star rating", "stars", "bewertung", "wertung", "sterne"]),
        (.rating, ["évaluation", "étoiles", "puntuación", "valoración", "calificación", "estrellas"]),
        (.dateAdded, ["date added", "added", "hinzugefügt", "hinzugefügt am", "ajouté le", "date d'ajout"]),
        (.dateAdded, ["fecha de alta", "añadido", "añadido el", "timestamp"]),
        (.dateStarted, ["date started", "started", "start date", "begonnen", "begonnen am", "commencé le"]),
        (.dateStarted, ["fecha de inicio", "empezado el"]),
        (.dateRead, ["date read", "date finished", "last date read", "finished", "finish date", "end date"]),
        (.dateRead, ["gelesen am", "beendet", "beendet am", "lu le", "date de lecture", "terminé le"]),
        (.dateRead, ["fecha de lectura", "leído el", "terminado el"]),
        (.readCount, ["read count", "times read", "anzahl gelesen"]),
        (.owned, ["owned", "owned copies", "copies", "im besitz", "besitz", "possédé", "en propiedad"]),
        (.tags, ["tags", "tag", "bookshelves", "shelves", "collections", "keywords", "schlagwörter"]),
        (.tags, ["schlagworte", "stichwörter", "mots-clés", "étiquettes", "etiquetas", "palabras clave"]),
        (.notes, ["notes", "private notes", "comments", "comment", "notizen", "notiz", "anmerkungen"]),
        (.notes, ["bemerkungen", "kommentar", "remarques", "commentaire", "commentaires", "notas", "comentarios"]),
        (.review, ["review", "my review", "rezension", "kritik", "critique", "avis", "reseña"]),
    ]
}
