/// The tables of `SQLitePeer`: the list holds all that a row shows, in title order, and once more by status; lists within a record are
/// bytes of it; counts are kept by triggers; the search is an index of trigrams with their positions, so that `MATCH` needs no look at a text, whose row numbers are the places.
enum SQLiteSchema {
    static let sql = """
        CREATE TABLE list (place INTEGER PRIMARY KEY, key BLOB, id INTEGER, title TEXT, authors TEXT,
          coverURL TEXT, year INTEGER, status INTEGER, rating INTEGER);
        CREATE UNIQUE INDEX byId ON list (id, place);
        CREATE INDEX byKey ON list (key);
        CREATE INDEX byStatus ON list (status, place, id, title, authors, coverURL, year, rating);
        CREATE TABLE counts (status INTEGER PRIMARY KEY, count INTEGER);
        CREATE TRIGGER added AFTER INSERT ON list BEGIN
          INSERT INTO counts VALUES (new.status, 1) ON CONFLICT DO UPDATE SET count = count + 1; END;
        CREATE TRIGGER removed AFTER DELETE ON list BEGIN
          UPDATE counts SET count = count - 1 WHERE status = old.status; END;
        CREATE VIRTUAL TABLE search USING fts5(text, tokenize='trigram');
        CREATE TABLE work (id INTEGER PRIMARY KEY, title TEXT, subtitle TEXT, originalTitle TEXT,
          sortTitle TEXT, language TEXT, year INTEGER, coverURL TEXT, description TEXT, subjects BLOB, series BLOB,
          review INTEGER, added INTEGER);
        CREATE TABLE author (id INTEGER PRIMARY KEY, name TEXT, sortName TEXT);
        CREATE TABLE authorship (work INTEGER, position INTEGER, author INTEGER,
          PRIMARY KEY (work, position)) WITHOUT ROWID;
        CREATE TABLE edition (work INTEGER, id INTEGER, isbns BLOB, unparsedISBN TEXT, title TEXT,
          publisher TEXT, pageCount INTEGER, format TEXT, year INTEGER, language TEXT, identifiers BLOB,
          PRIMARY KEY (work, id)) WITHOUT ROWID;
        CREATE TABLE entry (work INTEGER PRIMARY KEY, status INTEGER, rating INTEGER, started INTEGER,
          finished INTEGER, readCount INTEGER, notes TEXT, review TEXT, tags BLOB, isOwned INTEGER);
        CREATE TABLE session (id INTEGER PRIMARY KEY, work INTEGER, day INTEGER, pages INTEGER, note TEXT);
        CREATE INDEX sessionByDay ON session (day, id, pages);
        PRAGMA user_version = 1;
        """
}
