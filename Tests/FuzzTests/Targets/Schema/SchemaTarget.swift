extension FuzzTarget {
    /// A program of what an app does with records that have orders, sums, links and unique keys, and of entries planted in their
    /// trees. Where nothing was planted, everything equals a recount and `verify` has no complaint; where something was, calls
    /// fail by name or go on, and nothing traps.
    static let schema = FuzzTarget(
        name: "schema", summary: "records with orders, sums and links: programs against a recount, and planted entries",
        byteLimit: 512,
        check: .later { bytes in
            var program = try await SchemaProgram(ByteReader(bytes))
            try await program.run()
        })
}
