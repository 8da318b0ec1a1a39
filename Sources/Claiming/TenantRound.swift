/// A round of all tenants, which are asked for what is due of them: it costs by tenants and not by what is due, and finds
/// a quiet tenant behind a backlog of another's.
///
/// Workers begin at different tenants, so that together they have asked all of them soon.
struct TenantRound: Sendable {
    /// One question: to the next tenants by number, about what is due in a span of time.
    struct Question: Sendable, Equatable {
        var after: Int64
        var count: Int
        /// Microseconds since 1970, both included.
        var since = Int64.min
        var until = Int64.max
    }

    /// A tenant with so many dead entries that it is looked at in slices of time, the youngest first, for that is where
    /// something waits.
    private struct Slices {
        /// Its number, once a question has told it.
        var tenant: Int64?
        /// All after this is seen, in microseconds since 1970.
        var end: Int64
        /// How long the next slice is, in microseconds.
        var span = Slices.first
        /// The oldest slice took too long, too: what is left is to leave the tenant.
        var isGivenUp = false

        /// The first slice is so long, and none is shorter, in microseconds.
        static let first: Int64 = 1_000_000
        static let least: Int64 = 1_000
        /// The time that one look at a slice is to take, in seconds.
        static let lookTime = 0.1
        /// Slices end here, in microseconds since 1970: of what is older, only jobs that are due since -infinity have
        /// such a time.
        static let oldest: Int64 = 0

        var start: Int64 { end > Self.oldest + span ? end - span : .min }
    }

    /// Tenants that one statement asks.
    private static let countMax = 100

    /// The last tenant that was asked; nil before the first round, which begins where `place` says.
    private var last: Int64?
    /// The round is over when it has come round to here; nil when none is under way.
    private var end: Int64?
    /// It has come to the greatest number and goes on with the least.
    private var isRound = false
    private var count = TenantRound.countMax
    private var slices: Slices?
    /// Questions since a round began, but for those of slices, and of the last round that came to its end.
    private var questions = 0
    private(set) var questionsOfLast = 0

    var isUnderWay: Bool { end != nil }

    /// It is not known yet where the first round begins.
    var isToBePlaced: Bool { isUnderWay && last == nil }

    /// The next question; nil when no round is under way.
    var next: Question? {
        guard isUnderWay, let last else { return nil }
        guard let slices else { return Question(after: last, count: count) }
        return slices.isGivenUp
            ? Question(after: last, count: 1, since: .max, until: .min)
            : Question(after: last, count: 1, since: slices.start, until: slices.end)
    }

    /// Every tenant is asked from now on, those too that a round under way has asked; the one that is looked at in slices
    /// is asked once more at the end.
    mutating func begin() {
        (end, isRound, questions) = ((last ?? 0) + (slices == nil ? 0 : 1), false, 0)
    }

    /// Where the first round begins: behind a tenant's number, whether there is such a tenant or not.
    mutating func place(after tenant: Int64) {
        last = tenant
        if isUnderWay { begin() }
    }

    /// A question was answered up to a tenant, nil where there was none; `isCut`: there are more.
    mutating func asked(upTo tenant: Int64?, isCut: Bool, took seconds: Double) {
        if var slices {
            guard slices.tenant ?? tenant == tenant else {
                // It was removed, and another one has answered.
                return self.slices = nil
            }
            if tenant != nil, slices.start > .min {
                let fitting =
                    Double(slices.span) * min(2, max(0.25, Slices.lookTime / max(seconds, 1e-6)))
                slices.tenant = tenant
                slices.end = slices.start - 1
                slices.span = max(Slices.least, Int64(min(fitting, 1e18)))
                return self.slices = slices
            }
        }
        slices = nil
        questions += 1
        last = tenant ?? last
        count = min(Self.countMax, count * 2)
        let isAtEnd = isRound ? !isCut || last ?? 0 >= end ?? 0 : !isCut && end == 0
        if !isCut, !isRound { (isRound, last) = (true, 0) }
        guard isAtEnd else { return }
        (end, questionsOfLast) = (nil, questions)
    }

    /// A question took too long: the tenants are asked one by one, and one that takes too long alone is looked at in
    /// slices.
    ///
    /// A moment that takes too long itself is passed by. `now`: the database's time, in microseconds since 1970.
    mutating func failed(at now: Int64) {
        if var slices {
            if slices.span == Slices.least {
                slices.isGivenUp = slices.start == .min
                slices.end = max(slices.start, .min + 1) - 1
            }
            slices.span = max(Slices.least, slices.span / 4)
            self.slices = slices
        } else if count == 1 {
            slices = Slices(end: now)
        } else {
            count = 1
        }
    }
}
