#!/usr/bin/env python3
"""How often SQLite's trigrams find what was meant, for the table of recall in docs/PERFORMANCE.md.

    swift run -c release LibraryBenchmarks FOLDER --recall books.csv --queries > queries.tsv
    python3 Benchmarks/sqlite_recall.py queries.tsv

Titles and authors in an FTS5 table by trigrams, without accents and capitals. A text that was typed is looked for by all its
trigrams, any of which may be missing, and the rows are ranked by bm25: the most forgiving form it has.
"""

import sqlite3
import statistics
import sys
import time
import unicodedata


def folded(text):
    marks = unicodedata.normalize("NFD", text)
    return "".join(mark for mark in marks if not unicodedata.combining(mark)).lower()


def trigrams(text):
    text = folded(text)
    pieces = {text[start : start + 3] for start in range(len(text) - 2)} or {text}
    return " OR ".join('"' + piece.replace('"', '""') + '"' for piece in sorted(pieces))


def main(queries):
    database = sqlite3.connect(":memory:")
    database.execute("create virtual table works using fts5(title, authors, shown unindexed, tokenize = 'trigram')")
    kinds = {}
    with open(queries, encoding="utf-8", newline="\n") as file:
        for line in file:
            kind, typed, title = line.rstrip("\n").split("\t")
            if kind == "work":
                # The columns are the title and the authors here.
                database.execute("insert into works values (?, ?, ?)", (folded(typed), folded(title), typed))
                continue
            start = time.perf_counter()
            found = database.execute(
                "select shown from works where works match ? order by rank limit 10", (trigrams(typed),)
            ).fetchall()
            elapsed = time.perf_counter() - start
            titles = [shown.lower() for (shown,) in found]
            rank = titles.index(title.lower()) if title.lower() in titles else None
            kinds.setdefault(kind, []).append((rank, elapsed))
    print(f"SQLite {sqlite3.sqlite_version}\n\n| typed of a title | texts | first | first ten | median µs |")
    print("|---|---:|---:|---:|---:|")
    for kind, answers in kinds.items():
        first = sum(rank == 0 for rank, _ in answers) * 100 / len(answers)
        ten = sum(rank is not None for rank, _ in answers) * 100 / len(answers)
        median = statistics.median(elapsed for _, elapsed in answers) * 1e6
        print(f"| {kind} | {len(answers)} | {first:.1f} | {ten:.1f} | {median:.0f} |")


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    main(sys.argv[1])
