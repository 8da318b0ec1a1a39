/// Every benchmark, in the order of the table in docs/evidence/BENCHMARKS.md.
let allBenchmarks: [Benchmark] = [
    drainBenchmark, pickUpBenchmark, idleRunsBenchmark, firstSyncBenchmark, sameAgainBenchmark,
    slowSourceBenchmark, crowdBenchmark, snapshotBenchmark, processesBenchmark, neighboursBenchmark,
    startUpBenchmark, fleetBenchmark, emptyBenchmark, slowNeighbourBenchmark, askedBenchmark,
    spreadBenchmark, limitedBenchmark, migrateBenchmark, equalBenchmark,
    watchedBenchmark,
].sorted { $0.number < $1.number }
