/// How long pages have been taking: no page is begun that would only be torn down at the deadline.
struct Pace {
    private var smoothed: Duration?
    /// When the next page may be asked for, once the run has to keep a pace.
    private var next: ContinuousClock.Instant?

    mutating func add(_ page: Duration) {
        smoothed = smoothed.map { ($0 + page) / 2 } ?? page
    }

    /// True until a first page has been seen: without it, nothing is known.
    func allowsPage(within left: Duration) -> Bool {
        left > (smoothed ?? .zero)
    }

    /// Until when the next page has to wait for one to be asked for in each `gap` at most; nil when it
    /// need not.
    mutating func rest(_ gap: Duration) -> ContinuousClock.Instant? {
        let now = ContinuousClock.now
        let turn = max(next ?? now, now)
        next = turn + gap
        return turn > now ? turn : nil
    }
}
