/// Every benchmark, in the order of the table in docs/evidence/BENCHMARKS.md.
let allBenchmarks: [Benchmark] = [
    drainBenchmark, pickUpBenchmark, idleRunsBenchmark, firstSyncBenchmark, sameAgainBenchmark,
    slowSourceBenchmark, snapshotBenchmark, processesBenchmark, neighboursBenchmark,
    startUpBenchmark, fleetBenchmark, slowNeighbourBenchmark,
    spreadBenchmark, screensBenchmark, pushBenchmark, tenMillionBenchmark, dayBenchmark,
    peersBenchmark,
].sorted { $0.number < $1.number }
