extension FuzzTarget {
    /// A program of writes, compactions, closings, failing disk calls and power cuts. What an opening then finds is one of the
    /// commits the program made, no older than the newest it was told is on the medium.
    static let store = FuzzTarget(
        name: "store", summary: "programs of operations, failing disks and power cuts, against a dictionary",
        byteLimit: 512,
        check: .later { bytes in
            var program = StoreProgram(ByteReader(bytes))
            try await program.run()
        })
}
