"""Files to import: invented Goodreads exports, and real ones cut into their records."""

import csv
import io
import random
from pathlib import Path

HEADER = (
    "Book Id,Title,Author,Author l-f,Additional Authors,ISBN,ISBN13,My Rating,Average Rating,Publisher,Binding,"
    "Number of Pages,Year Published,Original Publication Year,Date Read,Date Added,Bookshelves,"
    "Bookshelves with positions,Exclusive Shelf,My Review,Spoiler,Private Notes,Read Count,Owned Copies"
)
BATCH = 100  # rows that `bookdb import` puts into one commit

WORDS = (
    "amber archive atlas autumn basalt bridge candle canyon cipher cloud copper Émile ember fable fjord garden glacier "
    "harbour heron island ivory jasmine kestrel lantern ledger Łódź maple meadow mirror night ocean orchard Ångström "
    "pepper quarry raven river salt silver sparrow stone tiger umber valley violet winter yarrow zephyr 夜 море"
).split()


class BookFile:
    """Something to import: a header and records, as bytes."""

    def __init__(self, name, header, records, identifiers=None):
        self.name = name
        self.header = header
        self.records = records
        # By record: its Goodreads number, or None when the row is broken on purpose. None for real files.
        self.identifiers = identifiers

    def __len__(self):
        return len(self.records)

    @property
    def batches(self):
        return -(-len(self.records) // BATCH)

    def bytes(self, rows=None):
        return self.header + b"".join(self.records[:rows])

    def write(self, path, rows=None):
        Path(path).write_bytes(self.bytes(rows))
        return str(path)


def invented(seed, rows, first=1, echo=None, bulk=0):
    """A Goodreads export with so many records; some are broken, some repeat others, some tell more of one of `echo`.

    bulk: so many bytes that cannot be compressed in each review.
    """
    rng = random.Random(f"books {seed}")
    seen = []  # (number, title, author, isbn) of sound rows
    if echo:
        seen += echo.sound
    own, records, identifiers = [], [], []
    for number in range(first, first + rows):
        kind = rng.random()
        author = f"{_word(rng)} {_word(rng)}son"
        title = " ".join(_word(rng) for _ in range(rng.randint(1, 5))) + f" {number}"
        isbn = _isbn(number) if rng.random() < 0.7 else ""
        if kind < 0.02:
            title = ""
        elif kind < 0.08 and seen:
            _, title, author, isbn = rng.choice(seen)  # another number, the same work
        record = _record(rng, number, title, author, isbn, bulk)
        records.append(record)
        identifiers.append(str(number) if title else None)
        if title:
            own.append((number, title, author, isbn))
            seen.append(own[-1])
    result = BookFile(f"invented-{seed}-{rows}", (HEADER + "\n").encode(), records, identifiers)
    result.sound = own
    return result


def real(path):
    """A file of somebody's own, cut at the line ends that no quotation mark encloses."""
    pieces, piece, quotes = [], [], 0
    for line in Path(path).read_bytes().split(b"\n"):
        piece.append(line)
        quotes += line.count(b'"')
        if quotes % 2 == 0:
            pieces.append(b"\n".join(piece) + b"\n")
            piece = []
    if piece:
        pieces.append(b"\n".join(piece))
    pieces = [piece for piece in pieces if piece.strip()]
    return BookFile(Path(path).name, pieces[0], pieces[1:])


def _record(rng, number, title, author, isbn, bulk):
    shelf = rng.choice(["read", "read", "to-read", "currently-reading"])
    when = f"20{rng.randint(10, 23)}/{rng.randint(1, 12):02}/{rng.randint(1, 28):02}"
    review = ""
    if rng.random() < 0.15:
        review = "<br/>".join(" ".join(_word(rng) for _ in range(rng.randint(5, 60))) for _ in range(rng.randint(1, 6)))
    if rng.random() < 0.03:
        review += ' He said "no",\nand left.'
    if bulk:
        review += rng.randbytes(bulk // 2).hex()
    last = author.split()[-1]
    fields = [
        number, title, author, f"{last}, {author.rsplit(' ', 1)[0]}", _word(rng) if rng.random() < 0.1 else "",
        '=""', f'="{isbn}"', rng.randint(0, 5), "3.9", _word(rng).title(), "Paperback", rng.randint(40, 900),
        rng.randint(1950, 2023), rng.randint(1700, 2020), when if shelf == "read" else "",
        when if rng.random() < 0.95 else "", rng.choice(["", "favorites", "classics, favorites"]), "", shelf, review, "",
        "", 1 if shelf == "read" else 0, rng.randint(0, 1),
    ]
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerow(fields)
    return text.getvalue().encode()


def _word(rng):
    return rng.choice(WORDS)


def _isbn(number):
    digits = f"978{number:09}"
    check = -sum(int(digit) * (3 if place % 2 else 1) for place, digit in enumerate(digits)) % 10
    return f"{digits}{check}"
