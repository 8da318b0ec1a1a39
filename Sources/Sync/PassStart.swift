import Asking
import JobFiles
import JobQueue
import Reading
import Telemetry

/// Decides where a pass of an entity begins: where one was interrupted, at the watermark, or at the very
/// beginning.
struct PassStart {
    private let context: RunContext
    private let calls: Calls
    private let entity: Entity
    /// The part of it that is read.
    private let part: EntityPart
    /// Stands for what the pass asks.
    let asked: Int64

    init(of part: EntityPart, _ context: RunContext, _ calls: Calls) {
        self.part = part
        entity = part.entity
        asked = context.inputs.asked(for: entity)
        self.context = context
        self.calls = calls
    }

    /// Goes on where a pass was interrupted, or begins one.
    ///
    /// Nil when the probe says that nothing changed, and the pass has ended.
    func begin(_ source: PageSource) async throws -> PassState? {
        var beginning = try beginning()
        if let probe = entity.probe, !beginning.state.isResumed {
            beginning.state.passProbe = try await source.ask(probe, beginning.state)
        }
        guard endsUnread(&beginning) else { return beginning.state }
        end(beginning.state)
        return nil
    }

    @inline(never)
    private func end(_ state: PassState) {
        var position = context.checkpoints[entity].position.betweenPasses
        position.passNumber = state.passNumber
        position.pageNumber = 0
        position.watermark = nil
        position.asked = asked
        context.checkpoints.add(
            EndedPass(entity: entity.name, position), of: entity, isUnasked: entity.probe == nil)
    }

    // What need not wait is not inlined: each run that waits for an answer has the frame of `begin` in memory.

    private struct Beginning {
        var state: PassState
        /// Its position is worth nothing, or something stands that only a look can end.
        var mustRead = false
    }

    /// The pass in progress, or a new one.
    @inline(never)
    private func beginning() throws -> Beginning {
        let checkpoint = context.checkpoints[entity]
        let reason = reasonToForget(checkpoint)
        let isLookDue = StandingTroubles(of: entity, checkpoint).isLookDue || part.isGone
        if let reason {
            context.services.log.emit(
                .positionForgotten(context.subject, entity: entity.name, reason: reason))
        } else if !(isLookDue && checkpoint.passKind == .incremental),
            var resumed = PassState(resuming: checkpoint, of: entity, asking: asked)
        {
            resumed.isOfGoneItem = part.isGone
            return Beginning(state: resumed)
        }
        let conditions = entity.incremental?.fullIf ?? []
        let isAsked = try !conditions.isEmpty && calls.holds(conditions, for: entity.name)
        // After a reset the next pass is full, whatever else its job has done.
        let fallback =
            entity.incremental?.fallsBackToJob == true && checkpoint.generation == 0
            ? context.inputs.job.lastSuccessAt.map(Timestamp.iso8601) : nil
        let isFull =
            reason != nil || isAsked || checkpoint.isColumnDue || isLookDue
            || isFullDue(checkpoint, hasFallback: fallback != nil)
        var state = PassState(
            beginning: entity, from: checkpoint, isFull: isFull, startedAt: startedAt,
            asking: asked, fallback: fallback)
        state.isOfGoneItem = part.isGone
        return Beginning(state: state, mustRead: reason != nil || isLookDue)
    }

    /// Whether the probe, or the row of the item, says that nothing has changed since the last pass.
    @inline(never)
    private func endsUnread(_ beginning: inout Beginning) -> Bool {
        guard !beginning.state.isResumed else { return false }
        let checkpoint = context.checkpoints[entity]
        if let probe = entity.probe {
            guard mayTrust(for: probe.fullEvery, since: checkpoint.lastFullAge, checkpoint) else {
                return false
            }
        } else if let stamp = part.item?.stamp, let span = entity.forEach?.asksUnchangedAfter {
            beginning.state.passProbe = stamp
            let age = entity.incremental == nil ? checkpoint.lastFullAge : checkpoint.notedAge
            // The row of an item whose last pass came to nothing says what the pass before it has read.
            guard !checkpoint.hasFailures, !checkpoint.isSkipped,
                mayTrust(for: span, since: age, checkpoint)
            else { return false }
        } else {
            return false
        }
        return !beginning.mustRead && beginning.state.passProbe == checkpoint.probe
    }

    /// Why the stored position is worth nothing; nil when it is worth something, or there is none.
    private func reasonToForget(_ checkpoint: Checkpoint) -> String? {
        if let stored = checkpoint.asked, stored != asked {
            return
                "the job file, an attribute of the user, a list or the source's address asks for something else than before"
                + (entity.sweeps ? "" : "; rows that only the former answers held stay")
        }
        guard checkpoint.liesAhead(of: context.inputs.claimedAtMicroseconds, entity) else {
            return nil
        }
        return "it lies ahead of the database's clock"
    }

    /// `full_every`.
    ///
    /// An entity that was never read in full begins so, unless it may begin at its job's last
    /// success.
    private func isFullDue(_ checkpoint: Checkpoint, hasFallback: Bool) -> Bool {
        if entity.write.mode == .replaceAll { return true }
        guard let span = entity.incremental?.fullEvery else { return false }
        guard let age = checkpoint.lastFullAge else {
            return checkpoint.watermark != nil || !hasFallback
        }
        return age + (ContinuousClock.now - context.inputs.claimedAt) >= span
    }

    /// A probe can't see deletions, and nothing about an empty table; nor can the row of an item.
    private func mayTrust(
        for span: Duration, since age: Duration?, _ checkpoint: Checkpoint
    ) -> Bool {
        let inputs = context.inputs
        guard !inputs.job.isForced, !checkpoint.isFullRequested, !checkpoint.isColumnDue,
            !inputs.emptyTables.contains(entity.write.table), let age
        else { return false }
        return age < span
    }

    /// No pass of the entity was ever completed, so that its table holds none of the user's rows.
    func isFirst(_ state: PassState) -> Bool {
        state.isFull && state.generation == 0
            && context.checkpoints[entity].syncedAge == nil
    }

    /// What applications are told that the pass is.
    func name(of state: PassState) -> String {
        state.isRepair ? "repair" : isFirst(state) ? "first" : state.passKind?.rawValue ?? ""
    }

    /// The state of the pass once more, from the beginning of what is committed.
    func again(after state: PassState, isFull: Bool) -> PassState {
        var checkpoint = context.checkpoints[entity]
        checkpoint.passNumber = state.committedNumber
        return PassState(
            beginning: entity, from: checkpoint, isFull: isFull, startedAt: startedAt, asking: asked
        )
    }

    /// When a pass that begins now began: the earlier of the source's clock at the run's first answer and the
    /// database's at the claim, so that a wrong clock makes the next pass read more, never less.
    private var startedAt: Int64 {
        let claimedAt = context.inputs.claimedAtMicroseconds
        return min(context.session.sourceTime ?? claimedAt, claimedAt)
    }
}
