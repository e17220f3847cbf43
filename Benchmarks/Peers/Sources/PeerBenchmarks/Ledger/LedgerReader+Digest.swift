import BookDB

/// Digests of answers: two stores have the same where all fields of all rows are the same.
extension LedgerReader {
    func digest(_ sum: Money) -> UInt64 { Digest.of([Int(sum.tenThousandths)]) }

    func digest(_ months: [LedgerMonth]) -> UInt64 {
        Digest.of(months.flatMap { [Int($0.first.daysSince1970), $0.count, Int($0.sum.tenThousandths)] })
    }

    func digest(_ identifiers: [Int64]) -> UInt64 { Digest.of(identifiers.map(number)) }

    func digest(_ lines: [LedgerLine]) -> UInt64 {
        var digest = Digest()
        for line in lines { add(line, to: &digest) }
        return digest.value
    }

    func digest(_ lines: [NamedLedgerLine]) -> UInt64 {
        var digest = Digest()
        for line in lines {
            add(line.line, to: &digest)
            digest.add(line.account)
        }
        return digest.value
    }

    func digest(_ transfers: [WholeTransfer]) -> UInt64 {
        var digest = Digest()
        for transfer in transfers.map(plain) {
            digest.add(transfer.number)
            digest.add(transfer.account)
            digest.add(Int(transfer.date.daysSince1970))
            digest.add(Int(transfer.amount.tenThousandths))
            digest.add(transfer.category)
            digest.add(transfer.note)
        }
        return digest.value
    }

    /// Of what a write changes: the balance, the months and the newest transfers.
    func digestOfAll() throws -> UInt64 {
        let parts = [digest(try balance()), digest(try months()), digest(try newestTransfers())]
        return Digest.of(parts.map { Int(truncatingIfNeeded: $0) })
    }

    private func add(_ line: LedgerLine, to digest: inout Digest) {
        digest.add(number(of: line.id))
        digest.add(Int(line.date.daysSince1970))
        digest.add(Int(line.amount.tenThousandths))
        digest.add(line.note)
    }
}
