import Glibc
import JSON

/// Runs benchmarks and writes what they found.
struct BenchmarkRunner {
    private let options: BenchOptions
    private let chosen: [Benchmark]
    private let form: Form
    private let program: String
    private let commit: String
    private let tell: @Sendable (String) -> Void
    /// `/var/tmp/jobrunner-bench.PID`: bin/bench clears away what is left under this name.
    private let scratch = "/var/tmp/jobrunner-bench.\(getpid())"

    /// Wants the root of the repository as its folder.
    ///
    /// `tell` gets lines about the progress.
    init(_ options: BenchOptions, tell: @escaping @Sendable (String) -> Void) async throws {
        self.options = options
        self.tell = tell
        chosen = try options.chosen()
        form = options.isFull ? .full : .short
        guard fileExists("bin/pg") else {
            throw BenchError("bin/pg is not here; run bench in the root of the repository")
        }
        program = try folderOfThisProgram() + "/jobrunner"
        guard fileExists(program) else {
            throw BenchError("\(program) is not there; build it as this program was built")
        }
        try makeFolder(scratch)
        commit = await presentCommit(in: scratch)
    }

    /// Runs what is asked for and writes the reports; false when a benchmark could not be run.
    ///
    /// Throws `CancellationError` when its task is cancelled, after all that was started has been stopped.
    func run() async throws -> Bool {
        defer { rmdir(scratch) }
        var machine = Machine.present()
        var outcomes: [BenchmarkResult] = []
        for (index, benchmark) in chosen.enumerated() {
            try Task.checkCancellation()
            tell("\(index + 1)/\(chosen.count) \(benchmark.name): \(benchmark.sentence)")
            let (outcome, server) = await perform(benchmark)
            if !server.isEmpty { machine.server = server }
            try Task.checkCancellation()
            outcomes.append(outcome)
            for line in verdicts(benchmark, outcome) { tell("  \(line)") }
        }
        try write(outcomes, machine)
        return outcomes.allSatisfy { $0.failure == nil }
    }

    /// One benchmark, whose error is a line of its outcome.
    private func perform(_ benchmark: Benchmark) async -> (BenchmarkResult, server: String) {
        let folder = "\(scratch)/\(benchmark.number)"
        let context = BenchmarkContext(
            form: form, rounds: options.rounds ?? form.roundsUsual, program: program,
            folder: folder, tell: { [tell] in tell("  \($0)") })
        let began = ContinuousClock.now
        let at = utc("%Y-%m-%d %H:%M UTC")
        var failure: String?
        do {
            try makeFolder(folder)
            try await benchmark.measure(context)
        } catch {
            failure = "\(error)".split(whereSeparator: \.isNewline).joined(separator: " ")
        }
        let server = await context.describeServer()
        await context.close()
        if failure != nil { keepLogs(of: benchmark, folder) }
        // rm is the shortest way to remove a folder without Foundation.
        await Task { _ = await (try? ChildProcess("rm", ["-rf", folder]))?.wait() }.value
        let contents = context.measurements.contents
        let outcome = BenchmarkResult(
            number: benchmark.number, name: benchmark.name, form: form.rawValue, at: at,
            commit: commit, seconds: (ContinuousClock.now - began).seconds,
            series: contents.series, notes: contents.notes, extras: contents.extras,
            failure: failure)
        return (outcome, server)
    }

    /// What a worker complained of explains a failure.
    private func keepLogs(of benchmark: Benchmark, _ folder: String) {
        for name in ["worker", "source"] {
            guard let text = try? readFile("\(folder)/\(name).err"), !text.isEmpty else { continue }
            for line in text.split(separator: "\n").suffix(3) { tell("  \(name): \(line)") }
        }
    }

    private func verdicts(_ benchmark: Benchmark, _ outcome: BenchmarkResult) -> [String] {
        var lines = outcome.failure.map { ["could not run: \($0)"] } ?? []
        for goal in benchmark.goals {
            guard let summary = outcome.summary(of: goal) else { continue }
            let word = goal.isReached(by: summary) ? "reached" : "not reached"
            lines.append(
                "\(goal.text): \(withUnit(summary.median, goal.unit)) (\(readable(summary.least)) –"
                    + " \(readable(summary.greatest))), \(word): \(goal.comparison.rawValue)"
                    + " \(withUnit(goal.limit, goal.unit))")
        }
        return lines + outcome.notes
    }

    private func write(_ outcomes: [BenchmarkResult], _ machine: Machine) throws {
        let folder = options.folder ?? ".build/bench/\(utc("%Y%m%dT%H%M%SZ"))"
        try makeFolder(folder)
        try write(
            chosen, outcomes, machine, report: "\(folder)/report.md", chart: "\(folder)/chart.svg",
            raw: "\(folder)/raw.json")
        tell("wrote \(folder)/report.md, chart.svg and raw.json")
        guard let report = options.report else { return }
        let base = lowercasedBase(of: report)
        let earlier = earlierOutcomes(base + ".json").filter { old in
            !outcomes.contains { $0.number == old.number && $0.failure == nil }
        }
        let measured = outcomes.filter { new in
            new.failure == nil || !earlier.contains { $0.number == new.number }
        }
        try write(
            allBenchmarks, (earlier + measured).sorted { $0.number < $1.number }, machine,
            report: report, chart: base + ".svg", raw: base + ".json")
        tell("brought \(report) up to date")
    }

    private func write(
        _ benchmarks: [Benchmark], _ outcomes: [BenchmarkResult], _ machine: Machine,
        report: String,
        chart: String, raw: String
    ) throws {
        let pictures = Picture.all(of: outcomes)
        func file(_ picture: Picture) -> String {
            chart.replacing(".svg", with: "-\(picture.name).svg")
        }
        let text = Report(
            benchmarks: benchmarks, outcomes: outcomes, machine: machine.sentence,
            limits: limits(benchmarks), chart: fileName(chart), raw: fileName(raw),
            pictures: pictures.map { ($0.bars.title, fileName(file($0))) }
        ).text
        try writeFile(report, text)
        for picture in pictures { try writeFile(file(picture), picture.bars.svg) }
        try writeFile(chart, Chart(benchmarks, outcomes).svg)
        let json = JSONValue.object([
            JSONMember("machine", machine.json),
            JSONMember("outcomes", .array(outcomes.map(\.json))),
        ])
        try writeFile(raw, json.text + "\n")
    }

    /// What people wrote about each figure.
    private func limits(_ benchmarks: [Benchmark]) -> [Int: String] {
        var limits: [Int: String] = [:]
        for benchmark in benchmarks {
            let path = "docs/evidence/benchmarks/limits/\(benchmark.number).md"
            guard let text = try? readFile(path) else { continue }
            let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
            limits[benchmark.number] = lines.joined(separator: "\n").trimmed
        }
        return limits
    }

    private func earlierOutcomes(_ path: String) -> [BenchmarkResult] {
        guard let text = try? readFile(path),
            let document = try? JSONDocument(parsing: Array(text.utf8))
        else { return [] }
        return document.root.value?["outcomes"]?.elements?.compactMap { BenchmarkResult($0) } ?? []
    }
}

/// What is built together lies together.
private func folderOfThisProgram() throws -> String {
    var path = [CChar](repeating: 0, count: 4096)
    guard readlink("/proc/self/exe", &path, path.count - 1) > 0 else {
        throw BenchError("/proc/self/exe can't be read")
    }
    let whole = String(
        decoding: path.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    return String(whole[..<(whole.lastIndex(of: "/") ?? whole.endIndex)])
}

extension Form {
    fileprivate var roundsUsual: Int {
        switch self {
        case .short: 3
        case .full: 5
        }
    }
}

extension BenchmarkContext {
    /// The settings of the first server; empty when none runs.
    fileprivate func describeServer() async -> String {
        guard let cluster = firstCluster else { return "" }
        return (try? await cluster.describe()) ?? ""
    }
}

extension String {
    fileprivate var trimmed: String {
        var text = Substring(self)
        while text.last?.isWhitespace == true { text.removeLast() }
        while text.first?.isWhitespace == true { text.removeFirst() }
        return String(text)
    }
}

/// `docs/evidence/BENCHMARKS.md` → `docs/evidence/benchmarks`.
private func lowercasedBase(of path: String) -> String {
    let folder = path.lastIndex(of: "/").map { String(path[...$0]) } ?? ""
    let name = fileName(path)
    return folder + (name.split(separator: ".").first.map { $0.lowercased() } ?? "benchmarks")
}

private func fileName(_ path: String) -> String {
    path.split(separator: "/").last.map(String.init) ?? path
}

/// Short, with `+` where files differ from it; `unknown` without git.
private func presentCommit(in scratch: String) async -> String {
    guard
        let hash = try? await runProgram("git", ["rev-parse", "--short=10", "HEAD"], in: scratch),
        let changes = try? await runProgram(
            "git", ["status", "--porcelain", "-uno", "--", "Sources", "sql"], in: scratch)
    else { return "unknown" }
    return hash.split(separator: "\n").joined() + (changes.isEmpty ? "" : "+")
}

/// The time now in UTC, in a form of `strftime`.
private func utc(_ form: String) -> String {
    var now = time(nil)
    var parts = tm()
    gmtime_r(&now, &parts)
    var text = [CChar](repeating: 0, count: 64)
    let count = strftime(&text, text.count, form, &parts)
    return String(decoding: text.prefix(count).map(UInt8.init(bitPattern:)), as: UTF8.self)
}
