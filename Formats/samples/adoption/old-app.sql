-- What an app with a library of books kept in SQLite before: a table for each model, integer keys, times in seconds since 1970.
CREATE TABLE author (id INTEGER PRIMARY KEY, name TEXT NOT NULL);
CREATE TABLE book (
    id INTEGER PRIMARY KEY, title TEXT NOT NULL, authorId INTEGER NOT NULL REFERENCES author (id), year INTEGER,
    isbn TEXT, pages INTEGER, added INTEGER NOT NULL, status TEXT NOT NULL, stars REAL, finished TEXT);
CREATE TABLE loan (
    id INTEGER PRIMARY KEY, bookId INTEGER NOT NULL REFERENCES book (id), borrower TEXT NOT NULL, due TEXT);

INSERT INTO author VALUES
    (1, 'Jane Austen'), (2, 'Charlotte Brontë'), (3, 'J. R. R. Tolkien'), (4, 'Ursula K. Le Guin');
INSERT INTO book VALUES
    (1, 'Pride and Prejudice', 1, 1813, '9780679783268', 435, 1547942400, 'read', 5, '2019-02-11'),
    (2, 'Emma', 1, 1815, '9780141439587', 474, 1551398400, 'read', 4, '2019-05-02'),
    (3, 'Jane Eyre', 2, 1847, '9780142437209', 532, 1538697600, 'reading', NULL, NULL),
    (4, 'The Hobbit', 3, 1937, NULL, NULL, 1577836800, 'want', NULL, NULL),
    (7, 'The "Dispossessed"', 4, 1974, NULL, 387, 1592092800, 'read', 4.5, '2020-07-01');
INSERT INTO loan VALUES (1, 2, 'Ann', '2026-12-24'), (2, 7, 'Zoë', NULL);
