/// How long pages have been taking: no page is begun that would only be torn down at the deadline.
struct Pace {
    private var smoothed: Duration?

    mutating func note(_ page: Duration) {
        smoothed = smoothed.map { ($0 + page) / 2 } ?? page
    }

    /// True until a first page has been seen: without it, nothing is known.
    func allowsPage(within left: Duration) -> Bool {
        left > (smoothed ?? .zero)
    }
}
