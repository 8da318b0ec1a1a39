import JobQueue
import Postgres

/// Looks for a successor of a server that does not answer: a machine that stands still closes no connection.
///
/// A server that is merely slow has none: each server of the list is asked by one connection a second then. Every other
/// lease they are asked though all is well: a server that stood still for a moment may have been replaced in it.
struct ReplacementWatch: Sendable {
    /// How long an answer may take before a successor is looked for.
    private static let patience = Duration.seconds(1)
    /// Between two looks at what waits, which ask nobody.
    private static let look = Duration.milliseconds(250)

    let context: WorkerContext

    func run() async {
        var began = ContinuousClock.now
        while !Task.isCancelled {
            try? await Task.sleep(for: Self.look, clock: .continuous)
            guard isHeldUp || ContinuousClock.now - began > context.settings.replacement else {
                continue
            }
            began = .now
            await Database.findSuccessor(context.configuration)
            context.queue.database.lookAgain()
            context.listener?.lookAgain()
            try? await Task.sleep(until: began + Self.patience, clock: .continuous)
        }
    }

    private var isHeldUp: Bool {
        context.queue.database.isHeldUp(for: Self.patience)
            || context.listener?.isHeldUp(for: Self.patience) == true
    }
}
