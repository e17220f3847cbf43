/// A tolerant reader of comma-separated text that takes its input in pieces and never holds more than one record.
///
/// ```
/// var reader = CSVReader()
/// var record = CSVRecord()
/// while let chunk = try await source.next() {
///     reader.append(chunk)
///     while try reader.next(into: &record) { … }
/// }
/// reader.finish()
/// while try reader.next(into: &record) { … }
/// ```
///
/// It reads what people's files really hold: `,` `;` or a tab between fields, lines that end in CRLF, LF or CR in one
/// file, line breaks and doubled quotes in quoted fields, a bare `"` in an unquoted field (`="1401249000"`, `5"10`),
/// text behind a closing quote, a byte-order mark, `sep=;` in front, no line end at the end.
///
/// Damage stays where it is. A quote that never closes costs the record it stands in: when the field has grown past
/// `Limits.fieldByteCount`, or the input ends, that record is delivered with a `problem` and reading goes on at the line
/// after the quote. No bytes trap, and however the input is cut into pieces the records are the same.
///
/// The first record is the header; a file that is no text at all is recognised there and `next` throws.
///
/// Cost: one pass over the bytes, one copy of each record, no allocation for a record once the buffers have grown.
package struct CSVReader: Sendable {
    /// What a well-meant file stays below.
    package struct Limits: Hashable, Sendable {
        package var fieldByteCount = 16 << 20
        package var recordByteCount = 16 << 20

        package init() {}
    }

    /// Where the reader is within a record.
    private enum State: Sendable {
        case lineStart
        case fieldStart
        case unquoted
        case quoted
        case quoteInQuoted
        case behindQuote
        case skippingLine
    }

    /// Between the fields; nil until the header has been seen, unless it was given.
    package private(set) var separator: CSVSeparator?

    private let limits: Limits
    private var state = State.lineStart
    private var isPrepared = false
    private var headerLine = HeaderLine()
    private var isFinished = false

    /// The bytes from the start of the current record on, and how many came before them.
    private var buffer: [UInt8] = []
    private var bufferOffset = 0
    private var recordStart = 0
    private var cursor = 0
    private var fieldStart = 0
    private var contentEnd = 0
    private var form = CSVRecord.Field.Form.plain
    private var fields: [CSVRecord.Field] = []
    private var holdsNUL = false

    /// The line under the cursor, counted from 1.
    private var line = 1
    private var recordLine = 1
    private var quoteLine = 1
    /// The byte before the cursor was a CR, so that a LF now belongs to the same line end.
    private var followsCarriageReturn = false

    /// Bytes before this position were read once already, within a record that a stray quote had made of them.
    private var rescanEnd = 0
    private var rescannedByteCount = 0

    /// - Parameter separator: what stands between fields; found out from the header when nil.
    package init(separator: CSVSeparator? = nil, limits: Limits = Limits()) {
        precondition(limits.fieldByteCount > 0, "a field may have at least one byte")
        precondition(limits.recordByteCount <= 1 << 30, "positions within a record fit 32 bits")
        self.separator = separator
        self.limits = limits
    }

    /// Takes the next piece of the input, of any size.
    ///
    /// - Precondition: `finish()` was not called.
    package mutating func append(_ bytes: [UInt8]) {
        precondition(!isFinished, "nothing comes after the end")
        bufferOffset += recordStart
        if recordStart == buffer.count {
            buffer = bytes
        } else {
            buffer.removeSubrange(..<recordStart)
            buffer.append(contentsOf: bytes)
        }
        cursor -= recordStart
        fieldStart -= recordStart
        contentEnd -= recordStart
        rescanEnd -= recordStart
        recordStart = 0
    }

    /// Says that there is no more input; `next` then delivers what is left.
    package mutating func finish() {
        isFinished = true
    }

    /// Reads the next record into `record`, whose buffers are used again.
    ///
    /// Lines without any text are no records.
    ///
    /// - Returns: false when the input so far holds no further whole record.
    /// - Throws: `CSVError` when the beginning of the input shows that it is not comma-separated text. The reader then
    ///   throws the same again.
    package mutating func next(into record: inout CSVRecord) throws(CSVError) -> Bool {
        guard try prepare() else { return false }
        while true {
            switch scan() {
            case .needsInput:
                guard isFinished else { return false }
                switch state {
                case .lineStart, .skippingLine:
                    return false
                case .quoted:
                    deliverUnclosed(into: &record)
                    return true
                case .fieldStart, .unquoted, .quoteInQuoted, .behindQuote:
                    endField(at: cursor)
                    state = .lineStart
                    if isBlank(upTo: cursor) { return false }
                    deliver(upTo: cursor, into: &record)
                    return true
                }
            case .record(let end):
                if isBlank(upTo: end) {
                    dropRecord()
                } else {
                    deliver(upTo: end, into: &record)
                    return true
                }
            case .limit:
                if state == .quoted, cursor - fieldStart >= limits.fieldByteCount {
                    deliverUnclosed(into: &record)
                } else {
                    deliverTooLong(into: &record)
                }
                return true
            }
        }
    }
}

// MARK: The beginning of the input

extension CSVReader {
    /// True when the header is there and its separator known.
    private mutating func prepare() throws(CSVError) -> Bool {
        if isPrepared { return true }
        guard isFinished || buffer.count >= ForeignFormat.signatureByteCount else { return false }
        var line = headerLine
        let end = line.end(in: buffer.span, isFinished: isFinished, limit: limits.fieldByteCount)
        headerLine = line
        guard let headerEnd = end else { return false }
        if let error = ForeignFormat.recognise(start: buffer, header: buffer[..<headerEnd]) { throw error }
        if buffer.starts(with: [0xEF, 0xBB, 0xBF]) { startRecord(at: 3) }
        let header = min(cursor, headerEnd)..<headerEnd
        if let declared = HeaderLine.declaredSeparator(in: buffer[header]) {
            // Spreadsheets write `sep=;` as a first line for each other.
            separator = separator ?? declared
            self.line += HeaderLine.lineEndCount(in: buffer[header])
            startRecord(at: headerEnd)
            if headerEnd < buffer.count { passLineEnd() }
        }
        separator = separator ?? .mostFrequent(in: buffer.span, min(cursor, headerEnd)..<headerEnd)
        isPrepared = true
        return true
    }

    private mutating func startRecord(at position: Int) {
        cursor = position
        recordStart = position
    }
}

// MARK: Scanning

extension CSVReader {
    private enum Stop {
        /// The buffer is used up within a record.
        case needsInput
        /// The record ends before this position, and the cursor is behind its line end.
        case record(end: Int)
        /// The field or the record has as many bytes as it may have.
        case limit
    }

    /// Moves the cursor to the end of the record.
    private mutating func scan() -> Stop {
        let stops = StopBytes(separator: separator ?? .comma)
        while true {
            // As far as the field may reach; the cursor is beyond it after a doubled quote at the very limit.
            let limit = min(fieldStart + limits.fieldByteCount, recordStart + limits.recordByteCount)
            switch state {
            case .lineStart:
                guard cursor < buffer.count else { return .needsInput }
                if followsCarriageReturn, buffer[cursor] == .lineFeed { cursor += 1 }
                followsCarriageReturn = false
                recordStart = cursor
                recordLine = line
                state = .fieldStart

            case .fieldStart:
                fieldStart = cursor
                form = .plain
                guard cursor < buffer.count else { return .needsInput }
                if buffer[cursor] == .quote {
                    cursor += 1
                    quoteLine = line
                    state = .quoted
                } else {
                    state = .unquoted
                }

            case .unquoted, .behindQuote:
                let end = min(buffer.count, limit)
                cursor = stops.firstOutsideQuotes(in: buffer.span, from: cursor, to: end)
                if cursor >= limit { return .limit }
                if cursor == buffer.count { return .needsInput }
                if let end = passStop(stops) { return .record(end: end) }

            case .quoted:
                let end = min(buffer.count, limit)
                cursor = stops.firstInsideQuotes(in: buffer.span, from: cursor, to: end)
                if cursor >= limit { return .limit }
                if cursor == buffer.count { return .needsInput }
                passStopInQuotes()

            case .quoteInQuoted:
                guard cursor < buffer.count else { return .needsInput }
                if buffer[cursor] == .quote {
                    form = .escaped
                    cursor += 1
                    state = .quoted
                } else {
                    contentEnd = cursor - 1
                    state = .behindQuote
                }

            case .skippingLine:
                let end = buffer.count
                while cursor < end, buffer[cursor] != .lineFeed, buffer[cursor] != .carriageReturn { cursor += 1 }
                recordStart = cursor
                fieldStart = cursor
                guard cursor < end else { return .needsInput }
                passLineEnd()
            }
        }
    }

    /// Handles the byte that ended a run outside quotes; the end of the record if that is what it was.
    private mutating func passStop(_ stops: StopBytes) -> Int? {
        let byte = buffer[cursor]
        if byte == stops.separator {
            endField(at: cursor)
            cursor += 1
            state = .fieldStart
        } else if byte == .lineFeed || byte == .carriageReturn {
            let end = cursor
            endField(at: end)
            passLineEnd()
            return end
        } else {
            holdsNUL = true
            cursor += 1
        }
        return nil
    }

    private mutating func passStopInQuotes() {
        let byte = buffer[cursor]
        cursor += 1
        switch byte {
        case .quote:
            state = .quoteInQuoted
        case .lineFeed:
            // the position before is within the field, behind its opening quote
            if buffer[cursor - 2] != .carriageReturn { line += 1 }
        case .carriageReturn:
            line += 1
        default:
            holdsNUL = true
        }
    }

    private mutating func passLineEnd() {
        followsCarriageReturn = buffer[cursor] == .carriageReturn
        cursor += 1
        line += 1
        state = .lineStart
    }

    private mutating func endField(at end: Int) {
        var field = CSVRecord.Field(
            start: Int32(fieldStart - recordStart), end: Int32(end - recordStart), form: form)
        switch state {
        case .quoteInQuoted:  // the input ends with the closing quote
            field.start += 1
            field.end -= 1
            if form == .plain { field.form = .quoted }
        case .behindQuote where contentEnd + 1 == end:
            field.start += 1
            field.end -= 1
            if form == .plain { field.form = .quoted }
        case .behindQuote:
            field.form = .trailed
        default:
            break
        }
        fields.append(field)
    }

    /// A line without anything on it.
    private func isBlank(upTo end: Int) -> Bool {
        end == recordStart && fields.count == 1
    }
}

// MARK: Delivering

extension CSVReader {
    private mutating func deliver(upTo end: Int, into record: inout CSVRecord) {
        record.line = recordLine
        record.problem = holdsNUL ? .holdsNUL : nil
        record.isRescanned = recordStart < rescanEnd
        record.bytes.removeAll(keepingCapacity: true)
        record.bytes.append(contentsOf: buffer[recordStart..<end])
        swap(&record.fields, &fields)
        dropRecord()
    }

    private mutating func dropRecord() {
        fields.removeAll(keepingCapacity: true)
        holdsNUL = false
        recordStart = cursor
        fieldStart = cursor
    }

    /// Delivers the record as far as the line with the quote that never closes, and goes back to the next line.
    private mutating func deliverUnclosed(into record: inout CSVRecord) {
        let end = lineEnd(from: fieldStart)
        let isAtLimit = cursor - fieldStart >= limits.fieldByteCount
        fields.append(
            CSVRecord.Field(
                start: Int32(fieldStart - recordStart), end: Int32(end - recordStart), form: .plain))
        let opened = quoteLine
        let wasRescanned = recordStart < rescanEnd
        let skipped = goBack(to: end, onLine: opened)
        deliver(upTo: end, into: &record)
        record.isRescanned = wasRescanned
        record.problem =
            isAtLimit
            ? .longQuote(line: opened, skippedThrough: skipped) : .unclosedQuote(line: opened, skippedThrough: skipped)
    }

    /// Delivers the beginning of a record that is too long, and goes back to its second line if it has one.
    private mutating func deliverTooLong(into record: inout CSVRecord) {
        let end = lineEnd(from: recordStart)
        let shown = min(end, recordStart + 4096)
        fields.removeAll(keepingCapacity: true)
        fields.append(CSVRecord.Field(start: 0, end: Int32(shown - recordStart), form: .plain))
        let wasRescanned = recordStart < rescanEnd
        let skipped = goBack(to: end, onLine: recordLine)
        deliver(upTo: shown, into: &record)
        record.isRescanned = wasRescanned
        record.problem = .tooLong(skippedThrough: skipped)
    }

    /// Where the line ends that a position is on, or the cursor if that comes first.
    private func lineEnd(from start: Int) -> Int {
        var end = start
        while end < cursor, buffer[end] != .lineFeed, buffer[end] != .carriageReturn { end += 1 }
        return end
    }

    /// Moves the cursor back behind a line end, to read the lines after it as records of their own.
    ///
    /// When there is none, or too much was read twice already, the rest of the line under the cursor is skipped; in the
    /// second case that loses lines, and the number of the last one is returned.
    private mutating func goBack(to end: Int, onLine endLine: Int) -> Int? {
        guard end < cursor else {
            state = .skippingLine
            return nil
        }
        // A file of nothing but stray quotes could make every line be read up to a whole field's limit again; this
        // keeps the work in proportion to the input.
        let swallowed = cursor - end
        guard rescannedByteCount + swallowed <= bufferOffset + cursor + 8 * limits.fieldByteCount else {
            state = .skippingLine
            return line
        }
        rescannedByteCount += swallowed
        rescanEnd = max(rescanEnd, cursor)
        cursor = end
        line = endLine
        passLineEnd()
        return nil
    }
}
