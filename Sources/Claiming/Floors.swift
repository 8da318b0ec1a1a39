import JobQueue

/// The floors of the lanes asked, due and new; nil: nothing of the lane waits.
struct Floors: Sendable, Equatable {
    var asked: DuePosition?
    var due: DuePosition?
    var new: DuePosition?
    /// Jobs that wait, as far as looks have come; nil: many.
    var count: Int?

    subscript(lane: Lane) -> DuePosition? {
        get {
            switch lane {
            case .asked: asked
            case .due: due
            case .new: new
            }
        }
        set {
            switch lane {
            case .asked: asked = newValue
            case .due: due = newValue
            case .new: new = newValue
            }
        }
    }

    var isEmpty: Bool { asked == nil && due == nil && new == nil }
    /// Only jobs of users who were added with many wait.
    var isNewOnly: Bool { asked == nil && due == nil && new != nil }
}
