import Bench

runBenchmarks(Array(CommandLine.arguments.dropFirst()))
