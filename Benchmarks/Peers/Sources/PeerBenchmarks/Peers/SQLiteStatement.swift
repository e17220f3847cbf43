import GRDBSQLite

/// What a statement's parameter is bound to.
enum SQLiteValue {
    case number(Int64?)
    case text(String?)
    case bytes([UInt8])

    static func number(_ number: Int?) -> SQLiteValue { .number(number.map { Int64($0) }) }
}

/// A prepared statement of SQLite.
struct SQLiteStatement {
    let handle: OpaquePointer

    func bound(_ values: [SQLiteValue]) -> SQLiteStatement {
        for (index, value) in values.enumerated() {
            let parameter = Int32(index + 1)
            switch value {
            case .number(.some(let number)): sqlite3_bind_int64(handle, parameter, number)
            case .text(.some(let text)): bind(text, at: parameter)
            case .bytes(let bytes): sqlite3_bind_blob(handle, parameter, bytes, Int32(bytes.count), Self.copied)
            case .number(nil), .text(nil): sqlite3_bind_null(handle, parameter)
            }
        }
        return self
    }

    func bind(_ number: Int, at parameter: Int32) { sqlite3_bind_int64(handle, parameter, Int64(number)) }

    func bind(_ text: String, at parameter: Int32) {
        sqlite3_bind_text(handle, parameter, text, Int32(text.utf8.count), Self.copied)
    }

    /// Says that the bytes are SQLite's to copy.
    private static var copied: sqlite3_destructor_type { unsafeBitCast(-1, to: sqlite3_destructor_type.self) }

    /// Whether it ran.
    func run() -> Bool {
        defer { sqlite3_reset(handle) }
        return sqlite3_step(handle) == SQLITE_DONE
    }

    func rows<Row>(_ row: (SQLiteStatement) -> Row) -> [Row] {
        defer { sqlite3_reset(handle) }
        var rows: [Row] = []
        while sqlite3_step(handle) == SQLITE_ROW { rows.append(row(self)) }
        return rows
    }

    /// What the first row has. The others are not asked for.
    func first<Value>(_ value: (SQLiteStatement) -> Value) throws -> Value {
        defer { sqlite3_reset(handle) }
        guard sqlite3_step(handle) == SQLITE_ROW else { throw Failure("SQLite gives no row where there is one.") }
        return value(self)
    }

    /// The number of the first row that is sought, from 0. Those after it are not asked for.
    func firstIndex(where isSought: (SQLiteStatement) -> Bool) -> Int? {
        defer { sqlite3_reset(handle) }
        var index = 0
        while sqlite3_step(handle) == SQLITE_ROW {
            if isSought(self) { return index }
            index += 1
        }
        return nil
    }

    func number(_ column: Int32) -> Int { Int(sqlite3_column_int64(handle, column)) }

    func optionalNumber(_ column: Int32) -> Int? {
        sqlite3_column_type(handle, column) == SQLITE_NULL ? nil : number(column)
    }

    func text(_ column: Int32) -> String { optionalText(column) ?? "" }

    func optionalText(_ column: Int32) -> String? {
        guard let bytes = sqlite3_column_text(handle, column) else { return nil }
        let count = Int(sqlite3_column_bytes(handle, column))
        return String(decoding: UnsafeBufferPointer(start: bytes, count: count), as: UTF8.self)
    }

    func list<Element>(_ column: Int32, _ body: (inout Unpacker) -> Element) -> [Element] {
        guard let bytes = sqlite3_column_blob(handle, column) else { return [] }
        var unpacker = Unpacker(
            UnsafeRawBufferPointer(start: bytes, count: Int(sqlite3_column_bytes(handle, column))))
        return unpacker.list(body)
    }
}
