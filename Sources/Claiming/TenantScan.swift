/// A look at what is due tenant by tenant: it costs by tenants and not by what is due, and finds a quiet tenant
/// behind a backlog of another's.
///
/// Workers begin at different tenants, so that together they have asked all of them soon.
struct TenantScan: Sendable {
    /// Tenants that one statement asks.
    private static let countMax = 100

    /// All that was due then is known when the scan has come round.
    let begunAt: Int64
    /// The tenant that is asked first has a number above this.
    private let start: Int64
    /// The last tenant that was asked.
    private(set) var last: Int64
    /// Tenants that the next statement asks.
    private(set) var count = TenantScan.countMax
    /// It has gone round to the tenants with small numbers.
    private var isRound = false
    /// A tenant was left out.
    private(set) var hasSkipped = false
    private(set) var isOver = false
    /// The tenant behind the last takes too long.
    private(set) var isStuck = false

    /// Begins at a part, from 0 to 1, of the numbers up to the last tenant's.
    init(begunAt: Int64, from part: Double, of lastTenant: Int64) {
        self.begunAt = begunAt
        start = Int64(part * Double(lastTenant))
        last = start
    }

    /// It has asked up to a tenant; `isCut`: there are more.
    mutating func asked(upTo tenant: Int64?, isCut: Bool) {
        last = tenant ?? last
        count = min(Self.countMax, count * 2)
        if isRound { return isOver = last >= start || !isCut }
        guard !isCut else { return }
        (isRound, last) = (true, 0)
        isOver = start == 0
    }

    /// A statement took too long, for one of the tenants has many dead entries: they are asked one by one, and that
    /// one is left out.
    mutating func failed() {
        isStuck = count == 1
        count = 1
    }

    /// Leaves out the tenant behind the last; nil when there is none.
    mutating func skip(_ tenant: Int64?) {
        (isStuck, hasSkipped) = (false, true)
        if let tenant { last = tenant } else { asked(upTo: nil, isCut: false) }
    }
}
