/// 16: whether work of many tenants is done as fast as work of few.
let spreadBenchmark = Benchmark(
    number: 16, name: "spread",
    sentence:
        "The drain of 500,000 jobs (short: 100,000) of 10,000 tenants by one worker process, beside the same of"
        + " 10 tenants.",
    goals: [
        .ratio(
            "10,000 tenants beside 10", "10,000 tenants", to: "10 tenants", .atLeast, 0.8)
    ],
    measure: { context in
        let few = try await DrainSetup.make(context, tenants: 10)
        let many = try await DrainSetup.make(context, tenants: 10_000)
        for round in 1...context.rounds {
            context.say("round \(round) of \(context.rounds)")
            try await few.drain(workers: 1, as: "10 tenants")
            try await many.drain(workers: 1, as: "10,000 tenants")
        }
    })
