/// What a thousand pages leave in memory.
enum ScrollGroup {
    static func run<Store: Peer>(_ type: Store.Type, _ context: Context) throws -> Measurement {
        let before = ProcessMemory.dirtyKilobytes
        let peer = try context.open(type, .stores, .read)
        blackHole(try peer.page(offset: 0))
        for anchor in context.plan.anchors { blackHole(try peer.page(after: anchor)) }
        let after = ProcessMemory.dirtyKilobytes
        return Measurement(workload: .scrollMemory, samples: [max(0, after - before)])
    }
}
