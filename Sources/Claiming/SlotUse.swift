/// How long tenants held a worker's slots in the last five minutes, for people.
struct SlotUse: Sendable {
    /// Minutes that are told of.
    private static let minutes = 5
    /// Tenants that are told by name.
    private static let tenantsMax = 1000

    /// Of each minute, by its number: the seconds of each tenant's runs that ended in it.
    private var ended: [(minute: Int, seconds: [Int64: Double])] = []
    /// Something was told that is over now.
    private var isTold = false

    mutating func add(_ tenant: Int64, _ seconds: Double, at now: Double) {
        let minute = Int(now / 60)
        if ended.last?.minute != minute { ended.append((minute, [:])) }
        ended[ended.count - 1].seconds[tenant, default: 0] += min(
            seconds, Double(60 * Self.minutes))
    }

    /// What there is to tell, `running` included: tenants with seconds, those with most first; nil means as little as
    /// the last time.
    mutating func report(_ running: [(tenant: Int64, seconds: Double)], at now: Double) -> Report? {
        let oldest = Int(now / 60) - Self.minutes
        ended.removeAll { $0.minute <= oldest }
        var sums: [Int64: Double] = [:]
        for minute in ended { sums.merge(minute.seconds, uniquingKeysWith: +) }
        for (tenant, seconds) in running { sums[tenant, default: 0] += seconds }
        guard !sums.isEmpty || isTold else { return nil }
        isTold = !sums.isEmpty
        let sorted = sums.sorted { ($0.value, $0.key) > ($1.value, $1.key) }
        return Report(
            tenants: sorted.prefix(Self.tenantsMax).map { ($0.key, $0.value) },
            others: sorted.dropFirst(Self.tenantsMax).reduce(0) { $0 + $1.value })
    }

    struct Report: Sendable {
        var tenants: [(id: Int64, seconds: Double)]
        /// Seconds of all others together.
        var others: Double
    }
}
