import Synchronization

/// What a long command is doing, since when, and how far it is: a line on the terminal that goes when the command ends.
///
/// It says nothing in the first second, and nothing at all where standard error is no terminal.
final class Progress: Sendable {
    /// What a person doesn't notice as waiting.
    private static let patience = Duration.seconds(1)

    private let what: String
    private let line: ProgressLine
    private let state = Mutex(State())

    private struct State {
        var part = ""
        var elapsed = Duration.zero
        var isShown = false
        var hasEnded = false
    }

    init(_ what: String, line: ProgressLine = ProgressLine()) {
        self.what = what
        self.line = line
    }

    /// How far it is: `3000 of 10000 users`.
    func tell(_ part: String) {
        state.withLock {
            $0.part = part
            show(&$0)
        }
    }

    /// So long it has taken by now.
    func tick(_ elapsed: Duration) {
        state.withLock {
            $0.elapsed = elapsed
            show(&$0)
        }
    }

    /// Leaves the terminal to what the command prints; the next tick shows the line again.
    func hide() { state.withLock { hide(&$0) } }

    /// Nothing is shown any more, whoever ticks.
    func end() {
        state.withLock {
            $0.hasEnded = true
            hide(&$0)
        }
    }

    private func show(_ state: inout State) {
        guard !state.hasEnded, state.elapsed >= Self.patience else { return }
        let part = state.part.isEmpty ? "" : ": \(state.part)"
        line.show("\(what)\(part), \(spanWords(seconds: (state.elapsed / .seconds(1)).rounded()))")
        state.isShown = true
    }

    private func hide(_ state: inout State) {
        if state.isShown { line.clear() }
        state.isShown = false
    }
}

/// Does what may take long, and shows that it goes on.
func showing<R>(
    _ what: String, _ body: (Progress) async throws -> R
) async throws -> R {
    let progress = Progress(what)
    let clock = ContinuousClock()
    let began = clock.now
    let ticker = Task {
        while true {
            try await Task.sleep(for: .seconds(1))
            progress.tick(clock.now - began)
        }
    }
    defer {
        ticker.cancel()
        progress.end()
    }
    return try await body(progress)
}
