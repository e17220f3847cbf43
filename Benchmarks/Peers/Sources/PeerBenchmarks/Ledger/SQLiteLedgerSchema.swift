/// The tables of `SQLiteLedger`: an index for every order, with the amount where BookDB keeps sums, so that a sum needs no look at
/// a row; triggers that keep the balances; and the calendar month as a column, by which a statement is grouped as it comes. An
/// index ends in the row's number by itself, which is named only where something comes after it.
enum SQLiteLedgerSchema {
    static let sql = """
        CREATE TABLE account (id INTEGER PRIMARY KEY, name TEXT, balance INTEGER DEFAULT 0);
        CREATE TABLE transfer (id INTEGER PRIMARY KEY, account INTEGER, date INTEGER, month INTEGER, amount INTEGER,
          category INTEGER, note TEXT);
        CREATE INDEX newest ON transfer (date DESC);
        CREATE INDEX statement ON transfer (account, month DESC, date DESC, id, amount);
        CREATE INDEX byCategory ON transfer (category, date, id, amount);
        CREATE INDEX byDay ON transfer (date, id, amount);
        CREATE INDEX largest ON transfer (amount DESC);
        CREATE TRIGGER inserted AFTER INSERT ON transfer BEGIN
          UPDATE account SET balance = balance + new.amount WHERE id = new.account; END;
        CREATE TRIGGER deleted AFTER DELETE ON transfer BEGIN
          UPDATE account SET balance = balance - old.amount WHERE id = old.account; END;
        CREATE TRIGGER changed AFTER UPDATE OF amount ON transfer BEGIN
          UPDATE account SET balance = balance + new.amount - old.amount WHERE id = new.account; END;
        CREATE TRIGGER moved AFTER UPDATE OF account ON transfer BEGIN
          UPDATE account SET balance = balance - old.amount WHERE id = old.account;
          UPDATE account SET balance = balance + old.amount WHERE id = new.account; END;
        PRAGMA user_version = 1;
        """
}
