/// What a static source has served since it was started, in place of a log.
struct StaticCounters {
    /// Requests of users that were answered, whatever the answer.
    var requests = 0
    /// Of them, those answered with a page.
    var pages = 0
    /// Of them, those answered with 304.
    var notModified = 0
    /// Of all bodies.
    var bytes = 0
    /// Requests that wait for their delay, or are being answered after it.
    var waiting = 0
    /// The most that waited at one time.
    private(set) var waitingMax = 0

    mutating func wait() {
        waiting += 1
        waitingMax = max(waitingMax, waiting)
    }

    var json: [UInt8] {
        JSONText.object {
            $0.field("requests", requests)
            $0.field("pages", pages)
            $0.field("not_modified", notModified)
            $0.field("bytes", bytes)
            $0.field("waiting", waiting)
            $0.field("waiting_max", waitingMax)
        }
    }
}
