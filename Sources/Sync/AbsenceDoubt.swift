import Reading

/// Why what a pass did not show may be there all the same: records without names, and lists that go on.
struct AbsenceDoubt {
    /// Of the pages that this run has read.
    private var unnamed = 0
    private var cut: String?

    /// Takes in a page; true: it proves no absence.
    mutating func add(_ batch: RecordBatch) -> Bool {
        unnamed += batch.unnamed
        if batch.cut.count > 0 { cut = cut ?? batch.cut.example }
        return !batch.provesAbsence
    }

    /// What a person is told; that of a page which an earlier run has read is known without its number.
    var words: String {
        let what =
            if unnamed > 0 {
                "\(unnamed) \(unnamed == 1 ? "record" : "records") of the list could not be named (a part of the key is missing "
                    + "or can't be read)"
            } else if let cut {
                "the list at \(cut)"
            } else {
                "records of the list could not be named, or a list inside them goes on"
            }
        return "\(what), so that nothing is deleted"
    }
}
