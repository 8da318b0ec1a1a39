import JobQueue

/// From where on jobs of a tenant wait, lane by lane; nil when nothing of the lane waits.
struct Floors: Sendable, Equatable {
    struct Floor: Sendable, Equatable {
        var position: DuePosition
        /// Jobs that wait from there on, as far as looks have come; nil means many.
        var count: Int?
    }

    var asked: Floor?
    var due: Floor?
    var new: Floor?

    subscript(lane: Lane) -> Floor? {
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

    /// The lanes in the order in which they are claimed from.
    static let lanes: [Lane] = [.asked, .due, .new]

    /// Jobs that wait in all lanes; nil means many.
    var count: Int? {
        Self.lanes.reduce(0) { sum, lane in
            guard let floor = self[lane] else { return sum }
            return sum.flatMap { known in floor.count.map { known + $0 } }
        }
    }

    var isEmpty: Bool { asked == nil && due == nil && new == nil }
    /// Only jobs of users who were added with many wait.
    var isNewOnly: Bool { asked == nil && due == nil && new != nil }
}
