import Synchronization

/// Writes events as lines: one write a line, never two lines mixed, whoever calls.
public final class Log: Sendable {
    private let level: Level
    private let format: LineFormat
    private let now: @Sendable () -> WallTime
    private let output: Mutex<Output>

    /// Longest wait for a slow reader, per line; none once a line was dropped, so that a reader who
    /// stopped costs the worker this much once.
    private static let patienceMilliseconds: Int32 = 20

    /// The sink, and how many lines it refused since the last one it took.
    private struct Output {
        let sink: LineSink
        var dropped = 0
    }

    /// Makes a log that writes events up to `settings.level` to `sink`.
    public init(
        _ settings: LogSettings = LogSettings(), sink: LineSink = .standardError,
        now: @escaping @Sendable () -> WallTime = WallTime.now
    ) {
        self.level = settings.level
        self.format = settings.format
        self.now = now
        self.output = Mutex(Output(sink: sink))
    }

    /// Writes the event's line, at once, if the level lets it pass.
    ///
    /// Never throws and never waits for a reader longer than `LineSink` says: a line nobody takes
    /// is dropped, and the next one that goes out is preceded by the number of those dropped.
    public func emit(_ event: Event) {
        if event.level <= level { answer(event) }
    }

    /// Writes the event's line whatever its level, since somebody has asked for it.
    public func answer(_ event: Event) {
        let line = EventLine(event)
        let time = now()
        let bytes = Array(format.line(line, at: time).utf8)
        output.withLock { output in
            if output.dropped > 0 {
                let notice = format.line(EventLine(.linesDropped(count: output.dropped)), at: time)
                guard output.sink.write(Array(notice.utf8), 0) else {
                    output.dropped += 1
                    return
                }
                output.dropped = 0
            }
            if !output.sink.write(bytes, Self.patienceMilliseconds) { output.dropped += 1 }
        }
    }
}
