#!/usr/bin/env python3
"""What `LibraryBenchmarks FOLDER --ledger` measures, in SQLite: the same numbers, five indexes, a trigger that keeps balances.

    python3 sqlite_ledger.py TRANSACTIONS ...
"""

import os
import sqlite3
import statistics
import sys
import tempfile
import time

SCHEMA = """
pragma journal_mode = wal;
pragma synchronous = full;
create table account (id integer primary key, name text, balance integer default 0);
create table transfer (id integer primary key, account integer, date integer, amount integer, category integer, note text);
create index by_date on transfer (date desc, id);
create index statement on transfer (account, date desc, id, amount);
create index by_category on transfer (category, date, id, amount);
create index by_day on transfer (date, id, amount);
create index largest on transfer (amount desc, id);
create trigger inserted after insert on transfer begin
    update account set balance = balance + new.amount where id = new.account;
end;
create trigger updated after update of amount on transfer begin
    update account set balance = balance + new.amount - old.amount where id = new.account;
end;
"""
MASK = (1 << 64) - 1


def numbers():
    state = 88172645463325252
    while True:
        state ^= state << 13 & MASK
        state ^= state >> 7
        state ^= state << 17 & MASK
        yield state


def median(times, body):
    found = []
    for _ in range(times):
        start = time.perf_counter()
        body()
        found.append(time.perf_counter() - start)
    return statistics.median(found) * 1e6


def inserted(folder, count):
    """A new database with all transactions, and how long their commit took."""
    base = sqlite3.connect(os.path.join(folder, "ledger.sqlite"), isolation_level=None)
    base.executescript(SCHEMA)
    base.executemany("insert into account (id, name) values (?, ?)", [(n, "Account %d" % n) for n in range(5)])
    source = numbers()
    rows = [
        (next(source) % 5, 15000 + next(source) % 3000, (next(source) % 200000 - 100000) * 100, next(source) % 40, "note %d" % n)
        for n in range(count)
    ]
    start = time.perf_counter()
    base.execute("begin")
    base.executemany("insert into transfer (account, date, amount, category, note) values (?, ?, ?, ?, ?)", rows)
    base.execute("commit")
    return base, time.perf_counter() - start


def run(count):
    times = []
    for _ in range(6):
        with tempfile.TemporaryDirectory() as folder:
            base, seconds = inserted(folder, count)
            times.append(seconds)
            base.close()
    with tempfile.TemporaryDirectory() as folder:
        base, seconds = inserted(folder, count)
        times.append(seconds)
        words = "%d transactions in one commit, five indexes and a trigger: %.3f s, median of %d"
        print(words % (count, statistics.median(times), len(times)))

        def one(words, times, query, values=()):
            print("%s: %.1f us" % (words, median(times, lambda: base.execute(query, values).fetchall())))

        total = base.execute("select count(*), sum(amount) from transfer where account = 2").fetchone()
        print("%d rows, balance %.2f" % (total[0], total[1] / 10000))
        one("balance, kept by the trigger", 2000, "select balance from account where id = 2")
        one("balance, by the index", 50, "select sum(amount) from transfer where account = 2")
        one("balance since a day", 50, "select sum(amount) from transfer where account = 2 and date >= 16500")
        one("a filter of two columns without an index", 50, "select id from transfer where +amount > 9000000 and +category = 7")
        one("the same, by the indexes", 50, "select id from transfer where amount > 9000000 and category = 7")
        one("a condition on a column without an index", 50, "select id from transfer where note = 'note 77'")
        one("notes that hold a text", 50, "select count(*) from transfer where note like '%note 77%'")
        one("newest fifty", 2000, "select * from transfer order by date desc, id limit 50")
        one("fifty in the middle", 50, "select * from transfer order by date desc, id limit 50 offset %d" % (count // 2))
        one(
            "all months of a statement with their sums", 20,
            "select date / 30, count(*), sum(amount) from transfer where account = 2 group by date / 30 order by 1 desc")
        ids = [row[0] for row in base.execute("select id from transfer order by date desc limit 200")]
        edits = iter(ids)
        each = median(200, lambda: base.execute("update transfer set amount = amount + 1 where id = ?", (next(edits),)))
        print("one edit, durable: %.1f us" % each)
        base.close()


for argument in sys.argv[1:]:
    run(int(argument))
