extension WriteState {
    /// Makes a commit that another process has written one of this state. When it throws, the state is as it was.
    func adopt(_ commit: LogWriter.Commit, _ witness: (any ReplayWitness)?) throws(StorageError) {
        guard commit.number == commitNumber + 1 else {
            let finding = "commit \(commit.number) of another process follows commit \(commitNumber)"
            throw .damaged(Damage(file: generation.file.path, byteOffset: 0, finding: finding))
        }
        let before = (commitNumber, trees)
        begin()
        do throws(StorageError) {
            var batch = ReplayBatch(keepsOtherTrees: true, witness: witness)
            guard try batch.add(commit.payload, to: self) else {
                throw .damaged(
                    Damage(
                        file: generation.file.path, byteOffset: 0,
                        finding: "commit \(commit.number) of another process cannot be replayed"))
            }
            try batch.apply(to: self)
        } catch {
            rollBack(to: before.0, before.1)
            throw error
        }
    }
}
