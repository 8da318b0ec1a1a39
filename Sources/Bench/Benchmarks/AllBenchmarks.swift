/// Every benchmark, in the order of the table in docs/BENCHMARKS.md.
let allBenchmarks: [Benchmark] = [
    startUpBenchmark
].sorted { $0.number < $1.number }
