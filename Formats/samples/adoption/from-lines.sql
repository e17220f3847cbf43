-- The lines of an export as rows of the old store, whose tables are empty. A record that the old store has no key for is refused.
CREATE TEMP TABLE line AS SELECT value ->> 'type' AS type, coalesce(value ->> 'id', value ->> 'work') AS id,
    value ->> 'work' AS work, value FROM json_each(
        '[' || replace(rtrim(readfile('library.jsonl'), char(10)), char(10), ',') || ']');
CREATE INDEX temp.lineByWork ON line (type, work);
CREATE TEMP TABLE key (id TEXT PRIMARY KEY, key INTEGER NOT NULL);
INSERT INTO key SELECT DISTINCT id, CASE WHEN id LIKE '00000a-%' THEN CAST(substr(id, 8) AS INTEGER) END
    FROM line WHERE id IS NOT NULL;
INSERT INTO author SELECT key, value ->> 'name' FROM line JOIN key USING (id) WHERE type = 'author';
INSERT INTO book (id, title, authorId, year, isbn, pages, added, status, stars, finished)
    SELECT own.key, work.value ->> 'title', author.key, work.value ->> 'firstPublicationYear',
        edition.value ->> '$.isbns[0]', edition.value ->> 'pageCount', (work.value ->> 'dateAddedMilliseconds') / 1000,
        CASE entry.value ->> 'status' WHEN 'want-to-read' THEN 'want' ELSE coalesce(entry.value ->> 'status', 'none') END,
        entry.value ->> 'rating', entry.value ->> 'dateFinished'
    FROM line AS work JOIN key AS own USING (id) JOIN key AS author ON author.id = work.value ->> '$.authors[0]'
    LEFT JOIN line AS edition ON edition.type = 'edition' AND edition.work = work.id
    LEFT JOIN line AS entry ON entry.type = 'entry' AND entry.work = work.id
    WHERE work.type = 'work';
INSERT INTO loan SELECT own.key, book.key, value ->> '$.fields.borrower', value ->> '$.fields.due'
    FROM line JOIN key AS own USING (id) JOIN key AS book ON book.id = value ->> '$.fields.work'
    WHERE type = 'record' AND value ->> 'kind' = 'Loan';
