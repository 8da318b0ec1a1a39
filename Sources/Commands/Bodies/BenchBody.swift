import Bench

/// `jobrunner bench`: exit 1 when a benchmark could not be run; a figure that is not reached is no
/// failure.
func bench(_ arguments: ParsedArguments, _ context: Context) async throws -> ExitCode {
    if arguments.has("list") {
        for line in Bench.lines { try context.say(line) }
        return .ok
    }
    var wishes = BenchWishes()
    wishes.names = arguments.positionals
    guard wishes.names.isEmpty == arguments.has("all") else {
        throw Failure(.usage, "expected names of benchmarks, or --all; --list tells them")
    }
    wishes.isFull = arguments.has("full")
    wishes.rounds = arguments.integer("rounds")
    wishes.folder = arguments.text("out")
    wishes.report = arguments.text("report")
    let isWhole = try await untilStopped { [wishes] in
        do {
            return try await Bench.run(wishes) { try? context.say($0) }
        } catch let error as BenchRefusal {
            throw Failure(.data, error.description)
        }
    }
    return isWhole ? .ok : .failure
}

/// Does the body; a signal that ends processes cancels it, and it stops what it has started.
private func untilStopped(
    _ body: @escaping @Sendable () async throws -> Bool
) async throws -> Bool {
    let work = Task { try await body() }
    let watch = Task {
        for await _ in Signals.stream(endingWithin: nil) { work.cancel() }
    }
    defer { watch.cancel() }
    do {
        return try await work.value
    } catch  where work.isCancelled {
        throw Failure(.temporary, "stopped, and so is what it had started")
    }
}
