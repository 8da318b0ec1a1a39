/// A picture of the report that is not about goals.
struct Picture: Sendable {
    /// The end of its file's name.
    let name: String
    let bars: Bars

    /// Those whose figures are there.
    static func all(of outcomes: [BenchmarkResult]) -> [Picture] {
        func median(_ benchmark: String, _ series: String) -> Double? {
            outcomes.first { $0.name == benchmark }?.series(series)?.summary?.median
        }
        return [processes(median), latencies(median), time(median)].compactMap { $0 }
    }

    private typealias Median = (_ benchmark: String, _ series: String) -> Double?

    private static func processes(_ median: Median) -> Picture? {
        let found = ["one worker", "2 workers", "4 workers", "8 workers"].compactMap { name in
            median("processes", name).map { (name, $0) }
        }
        return scaled(found, "jobs/s").map {
            Picture(name: "processes", bars: Bars(title: "Jobs a second by processes", rows: $0))
        }
    }

    private static func latencies(_ median: Median) -> Picture? {
        let found = ["to the claim", "pick-up"].flatMap { what in
            ["p50", "p90", "p99", "greatest"].compactMap { share in
                median("pickup", "\(what) \(share)").map { ("\(what), \(share)", $0) }
            }
        }
        return scaled(found, "ms").map {
            Picture(
                name: "latency",
                bars: Bars(
                    title: "From the commit of an enqueue to its claim and its start", rows: $0))
        }
    }

    /// Where a run's processor time goes.
    private static func time(_ median: Median) -> Picture? {
        let found = [
            ("drained, 304", "worker CPU, 304", "PostgreSQL CPU, 304"),
            ("drained, empty page", "worker CPU, empty page", "PostgreSQL CPU, empty page"),
            ("open loop", "open loop worker CPU", "open loop PostgreSQL CPU"),
        ].compactMap { label, worker, server in
            if let worker = median("idle-runs", worker), let server = median("idle-runs", server) {
                (label, worker, server)
            } else {
                nil
            }
        }
        guard let most = found.map({ $0.1 + $0.2 }).max(), most > 0 else { return nil }
        let rows = found.map { label, worker, server in
            Bars.Row(
                label: label,
                parts: [
                    Bars.Part(style: .first, share: worker / most),
                    Bars.Part(style: .second, share: server / most),
                ], figure: "\(readable(worker)) + \(readable(server)) µs")
        }
        return Picture(
            name: "run",
            bars: Bars(
                title: "Processor time of a run that finds nothing", rows: rows,
                legend: [(.first, "worker"), (.second, "PostgreSQL")]))
    }

    /// A bar for each, the greatest one as long as there is room; nil without any.
    private static func scaled(_ figures: [(label: String, value: Double)], _ unit: String)
        -> [Bars.Row]?
    {
        guard let most = figures.map(\.value).max(), most > 0 else { return nil }
        return figures.map {
            Bars.Row(
                label: $0.label, parts: [Bars.Part(style: .first, share: max($0.value, 0) / most)],
                figure: withUnit($0.value, unit))
        }
    }
}
