-- The old store as lines of JSON. 00000a stands for the old store: a record's identifier is made of its key, the same every time.
CREATE TEMP VIEW state AS SELECT id,
    CASE status WHEN 'want' THEN 'want-to-read' ELSE status END AS status FROM book;
SELECT json_object('type', 'author', 'id', printf('00000a-%d', id), 'name', name) FROM author ORDER BY id;
SELECT json_object('type', 'work', 'id', printf('00000a-%d', id), 'title', title,
    'authors', json_array(printf('00000a-%d', authorId)), 'firstPublicationYear', year,
    'dateAddedMilliseconds', added * 1000) FROM book ORDER BY id;
SELECT json_object('type', 'edition', 'id', printf('00000a-%d', id), 'work', printf('00000a-%d', id),
    'isbns', CASE WHEN isbn IS NULL THEN json_array() ELSE json_array(isbn) END, 'pageCount', pages)
    FROM book WHERE coalesce(isbn, pages) IS NOT NULL ORDER BY id;
SELECT json_object('type', 'entry', 'work', printf('00000a-%d', id), 'status', state.status, 'rating', stars,
    'dateFinished', finished) FROM book JOIN state USING (id) ORDER BY id;
SELECT '{"type":"kind","kind":"Loan","fields":[{"number":1,"name":"work","type":"identifier"},'
    || '{"number":2,"name":"borrower","type":"text"},{"number":3,"name":"due","type":"day"}],'
    || '"links":[{"field":1,"name":"work","to":1,"onDelete":"cascade"}]}';
SELECT json_object('type', 'record', 'kind', 'Loan', 'id', printf('00000a-%d', id),
    'fields', json_patch('{}', json_object('work', printf('00000a-%d', bookId), 'borrower', borrower, 'due', due)))
    FROM loan ORDER BY id;
