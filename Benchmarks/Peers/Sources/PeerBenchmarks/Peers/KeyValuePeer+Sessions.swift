/// An app's own records by number, and once more by day with what a sum needs.
extension KeyValuePeer {
    func insert(_ records: [SessionRecord]) async throws {
        // There is one writer, so the last number may be read before the transaction.
        var number = try store.read { reader in
            try reader.get(.count, Self.lastSession) { $0.loadUnaligned(as: Int.self) } ?? 0
        }
        try store.write(.flushed) { batch in
            for record in records {
                number += 1
                try batch.append(.session, number.key, record.packed)
                try batch.put(.sessionByDay, record.day.key + number.key, record.pages.key)
            }
            try batch.add(.count, Self.lastSession, records.count)
        }
    }

    /// The key of the highest number: no status has it.
    private static var lastSession: [UInt8] { [0xFF] }

    func sessions(offset: Int) throws -> [SessionRecord] {
        var numbers: [[UInt8]] = []
        var skipped = 0
        return try store.read { reader in
            try reader.walk(.sessionByDay, from: []) { key, _ in
                if skipped < offset { skipped += 1 } else { numbers.append(Array(key.suffix(8))) }
                return numbers.count < 50
            }
            return try numbers.compactMap { try reader.get(.session, $0, SessionRecord.init) }
        }
    }

    func pageSum(days: Range<Int>) throws -> Int {
        var sum = 0
        try store.read { reader in
            let end = days.upperBound.key
            try reader.walk(.sessionByDay, from: days.lowerBound.key) { key, value in
                guard key.prefix(8).lexicographicallyPrecedes(end) else { return false }
                sum += Int(bigEndian: value.loadUnaligned(as: Int.self))
                return true
            }
        }
        return sum
    }

    func sessions(pages: Int) throws -> [SessionRecord] {
        var found: [SessionRecord] = []
        try store.read { reader in
            try reader.walk(.session, from: []) { _, value in
                let session = SessionRecord(value)
                if session.pages == pages { found.append(session) }
                return true
            }
        }
        return found
    }
}
