import Glibc
import Runner
import Serving
import Synchronization
import Telemetry

/// What a worker tells of itself: over HTTP its metrics, and whether it lives and is ready; at a signal what it does.
///
/// No answer asks the database.
final class WorkerEndpoint: Sendable {
    private let metrics: Metrics
    private let worker = Mutex<Worker?>(nil)
    private let lacking = Mutex(Lacking())

    init(_ metrics: Metrics) { self.metrics = metrics }

    /// What this worker can't do of what it was given, though it works on with the rest; as it was at its start.
    private struct Lacking {
        var words: [String] = []
        var hasNothing = false
    }

    /// A line may hold what somebody typed into a job file.
    private static let lineMax = 300

    /// From here on the worker's state is told.
    func attach(_ worker: Worker) { self.worker.withLock { $0 = worker } }

    /// Something does not work as long as this worker runs, and the rest does.
    func lacks(_ words: String) {
        let line = words.split(whereSeparator: \.isWhitespace).joined(separator: " ")
        let told = line.count > Self.lineMax ? line.prefix(Self.lineMax) + "…" : line
        lacking.withLock { $0.words.append(told) }
    }

    /// No job file is left that this worker could run.
    func hasNothing() { lacking.withLock { $0.hasNothing = true } }

    /// What SIGUSR1 asks for: before the worker has begun there is nothing but the reason.
    func tellState(_ log: Log) {
        if let worker = worker.withLock({ $0 }) { return worker.tellState() }
        log.answer(
            .workerState(
                Subject(), busy: 0, free: 0, notReady: reasons.joined(separator: "; ")))
    }

    func answer(_ request: ServedRequest) -> ServedResponse {
        switch request.path {
        // A probe that asked the database would restart every worker when that is slow.
        case "/livez":
            let trouble = worker.withLock { $0 }?.reasonNotAlive
            return trouble.map { ServedResponse(503, "\($0)\n") } ?? ServedResponse(200, "alive\n")
        case "/readyz":
            return ServedResponse(
                readiness: reasons, lacking: lacking.withLock { $0.words })
        case "/metrics":
            let format = MetricFormat(accept: request.header("Accept"))
            return ServedResponse(200, format.text(samples), type: format.contentType)
        default: return ServedResponse(404, "expected /metrics, /livez or /readyz\n")
        }
    }

    private var reasons: [String] {
        let nothing =
            lacking.withLock { $0.hasNothing } ? ["job files: none that it could run"] : []
        return nothing
            + (worker.withLock { $0 }?.reasonsNotReady ?? ["database: it has not answered yet"])
    }

    private var samples: [MetricSample] {
        let slots = worker.withLock { $0 }?.slots ?? (busy: 0, free: 0)
        return [
            MetricSample(.buildInfo, [programVersion], 1),
            MetricSample(.slots, ["busy"], Double(slots.busy)),
            MetricSample(.slots, ["free"], Double(slots.free)),
            MetricSample(.ready, [], reasons.isEmpty ? 1 : 0),
        ] + metrics.samples() + processSamples()
    }
}

/// What the system says of this process, under the names that every Prometheus client gives it.
func processSamples() -> [MetricSample] {
    var samples: [MetricSample] = []
    var usage = rusage()
    if getrusage(RUSAGE_SELF.rawValue, &usage) == 0 {
        samples.append(
            MetricSample(.processCPU, [], seconds(usage.ru_utime) + seconds(usage.ru_stime)))
    }
    let pages = words(ofFile: "/proc/self/statm").dropFirst().first.flatMap { Double($0) }
    if let pages {
        samples.append(
            MetricSample(.processMemory, [], pages * Double(sysconf(Int32(_SC_PAGESIZE)))))
    }
    if let files = openFiles() { samples.append(MetricSample(.processFiles, [], Double(files))) }
    var limit = rlimit()
    if getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 {
        samples.append(MetricSample(.processFilesMax, [], Double(limit.rlim_cur)))
    }
    if let began = processBegan() { samples.append(MetricSample(.processStart, [], began)) }
    return samples
}

private func seconds(_ time: timeval) -> Double {
    Double(time.tv_sec) + Double(time.tv_usec) / 1_000_000
}

private func openFiles() -> Int? {
    guard let folder = opendir("/proc/self/fd") else { return nil }
    defer { closedir(folder) }
    var count = 0
    while readdir(folder) != nil { count += 1 }
    // Not the two that every folder has, nor the one that reads it.
    return count - 3
}

/// When the process began: its ticks since the machine did, and when that was.
private func processBegan() -> Double? {
    let text = contents(ofFile: "/proc/self/stat")
    // The second word is the program's name in brackets, which may hold anything.
    guard let end = text.lastIndex(of: ")") else { return nil }
    let rest = text[text.index(after: end)...].split(separator: " ")
    let boot = contents(ofFile: "/proc/stat").split(separator: "\n")
        .first { $0.hasPrefix("btime ") }
        .flatMap { Double($0.dropFirst(6)) }
    guard rest.count > 19, let ticks = Double(rest[19]), let boot else { return nil }
    return boot + ticks / Double(sysconf(Int32(_SC_CLK_TCK)))
}

private func words(ofFile path: String) -> [Substring] {
    contents(ofFile: path).split { $0 == " " || $0 == "\n" }
}

private func contents(ofFile path: String) -> String {
    guard let file = fopen(path, "r") else { return "" }
    defer { fclose(file) }
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 8192)
    while case let count = fread(&buffer, 1, buffer.count, file), count > 0 {
        bytes += buffer[..<count]
    }
    return String(decoding: bytes, as: UTF8.self)
}
