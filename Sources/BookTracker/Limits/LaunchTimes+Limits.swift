import BookDB

extension LaunchTimes {
    /// From the opening to the first rows: the first frame, or the end of the opening where the first frame had none
    /// to show.
    func firstRowsNanoseconds(_ firstFrame: Frame) -> Int? {
        firstFrame.isLoaded ? firstFrameNanoseconds : readyNanoseconds
    }

    /// From the opening until the first frame is shown and the library is open, whichever came later.
    var bootstrapNanoseconds: Int { max(firstFrameNanoseconds ?? 0, readyNanoseconds ?? 0) }
}
