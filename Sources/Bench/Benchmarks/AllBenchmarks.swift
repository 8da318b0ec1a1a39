/// Every benchmark, in the order of the table in docs/BENCHMARKS.md.
let allBenchmarks: [Benchmark] = [
    idleRunsBenchmark, firstSyncBenchmark, sameAgainBenchmark, slowSourceBenchmark,
    startUpBenchmark,
].sorted { $0.number < $1.number }
