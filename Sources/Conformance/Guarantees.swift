import HTTP
import JobFiles
import Sync

/// How each guarantee is tried, from a clean state.
extension GuaranteeSuite {
    /// The run that all others are compared with.
    struct Baseline: Sendable {
        var stored: StoredRows
        var result: RunResult
        var counts: CountingSender.Counts
    }

    /// Tries every guarantee; `tell` gets each result at once.
    ///
    /// Throws `GuaranteeSuiteError` when the source is away or the job does not run.
    public func run(_ tell: (GuaranteeResult) throws -> Void) async throws {
        let counter = CountingSender(source, pages)
        let result = try await runJobFromClean(through: counter)
        try expectComplete(result)
        let base = Baseline(
            stored: try await rows.stored(), result: result, counts: counter.counts)
        try tell(GuaranteeResult(guarantee: .counters, verdict: counters(base)))
        try tell(
            GuaranteeResult(guarantee: .unchangedWritesNothing, verdict: try await secondRun(base)))
        let (resumes, waits) = try await cuts(base)
        try tell(GuaranteeResult(guarantee: .resumes, verdict: resumes))
        try tell(GuaranteeResult(guarantee: .watermarkWaits, verdict: waits))
        try tell(GuaranteeResult(guarantee: .orderIndependence, verdict: try await shuffled(base)))
        try tell(GuaranteeResult(guarantee: .emptyPageGoesOn, verdict: try await emptyPage(base)))
        try tell(
            GuaranteeResult(guarantee: .repeatedPositionFails, verdict: try await repeated(base)))
    }

    /// Throws when a run that nothing was done to did not come to its end.
    private func expectComplete(_ result: RunResult) throws {
        guard result.outcome != "complete" else { return }
        let away = ["unavailable", "timed_out", "rate_limited", "breaker_open"]
        let message =
            result.outcome == "skipped"
            ? "the run was skipped: \(result.error.isEmpty ? result.errorKind : result.error)"
            : "the run ended \(result.outcome): \(result.error)"
        throw GuaranteeSuiteError(
            cause: away.contains(result.errorKind) ? .sourceIsAway : .jobDoesNotRun,
            message: message)
    }

    private func counters(_ base: Baseline) -> GuaranteeResult.Verdict {
        let result = base.result
        guard result.fetched == result.parts else {
            return .fails("\(result.fetched) were fetched, and \(result.parts) accounted for")
        }
        let mayIgnore = file.entities.contains { $0.cloudkit != nil }
        guard mayIgnore || result.fetched == base.counts.records else {
            return .fails("\(base.counts.records) came, and \(result.fetched) were counted")
        }
        // Rows go in other ways too where they are merged or cleaned up.
        let isPlain = file.after.isEmpty && !file.entities.contains { $0.write.unique != nil }
        guard !isPlain || result.deleted > 0 || result.inserted == base.stored.rows.count else {
            return .fails(
                "\(result.inserted) were inserted, and there are \(base.stored.rows.count) rows")
        }
        return .holds
    }

    /// As the schedule would run it, and then by two full passes: a row that the first one lacks goes with the second.
    private func secondRun(_ base: Baseline) async throws -> GuaranteeResult.Verdict {
        guard base.counts.records > 0 else { return .cannotBeJudged("the source has no record") }
        try await rows.makeDue()
        try expectComplete(try await runJob(through: source))
        let first = try await rows.stored()
        for _ in 1...2 {
            try await requestFullPass()
            try expectComplete(try await runJob(through: source))
        }
        for (stored, name) in [(first, "second"), (try await rows.stored(), "full")] {
            let new = stored.versions.subtracting(base.stored.versions).count
            let gone = base.stored.rows.count - stored.rows.count
            guard new > 0 || gone > 0 else { continue }
            let what = gone > 0 ? "\(gone) of its rows are gone" : "\(new) rows are written anew"
            return .fails("after the \(name) run \(what); or the source has changed meanwhile")
        }
        return .holds
    }

    /// Cuts after so many pages; spread over the pass, the first and the last boundary among them.
    private static let cutsMax = 5

    private func cuts(
        _ base: Baseline
    ) async throws -> (resumes: GuaranteeResult.Verdict, waits: GuaranteeResult.Verdict) {
        let last = base.counts.pages - 1
        guard last > 0 else {
            let why = GuaranteeResult.Verdict.cannotBeJudged("all was read in one page")
            return (why, why)
        }
        let count = min(last, Self.cutsMax)
        let cuts = count == 1 ? [1] : (0..<count).map { 1 + $0 * (last - 1) / (count - 1) }
        var resumes = GuaranteeResult.Verdict.holds
        var isSeen = false
        var moved: String?
        for cut in cuts {
            _ = try await runJobFromClean(
                through: PageLimitSender(counter: CountingSender(source, pages), pagesMax: cut))
            for (entity, hasMoved) in try await rows.unfinished() where movesAtEnd(entity) {
                isSeen = true
                if hasMoved { moved = "\(entity)'s has moved after \(cut) pages" }
            }
            try await rows.makeDue()
            let counter = CountingSender(source, pages)
            try expectComplete(try await runJob(through: counter))
            if case .holds = resumes,
                let why = try await differenceAfterCut(base, counter, after: cut)
            {
                resumes = .fails("cut off after page \(cut): \(why)")
            }
        }
        if let moved { return (resumes, .fails(moved)) }
        return (
            resumes,
            isSeen ? .holds : .cannotBeJudged("no pass with a watermark or sync token was cut off")
        )
    }

    private func differenceAfterCut(
        _ base: Baseline, _ counter: CountingSender, after cut: Int
    ) async throws -> String? {
        if let rows = try await rows.stored().difference(from: base.stored) { return rows }
        let again = cut + counter.counts.pages - base.counts.pages
        return again > 1 ? "\(again) pages were asked for again" : nil
    }

    /// A persisting keyset's position moves with every page, and is meant to.
    private func movesAtEnd(_ name: String) -> Bool {
        guard let entity = file.entities.first(where: { $0.name == name }) else { return false }
        if case .syncToken = entity.page.style { return true }
        return entity.incremental != nil && !entity.page.persists
    }

    private func shuffled(_ base: Baseline) async throws -> GuaranteeResult.Verdict {
        guard base.counts.records > 1 else {
            return .cannotBeJudged("the source has too few records")
        }
        guard !file.entities.allSatisfy(\.needsTheOrder) else {
            return .cannotBeJudged("the order of the source counts")
        }
        try expectComplete(
            try await runJobFromClean(through: ShufflingSender(inner: source, pages: pages)))
        let difference = try await rows.stored().difference(from: base.stored)
        let ordered = file.entities.filter {
            $0.write.mode == .insertNew || $0.write.mode == .overwrite
        }
        if base.result.repeated > 0, let entity = ordered.first {
            return .cannotBeJudged(
                "the source shows a record twice, and with \(entity.write.mode.rawValue) the"
                    + " first or last one counts")
        }
        return difference.map { .fails($0) } ?? .holds
    }

    private func emptyPage(_ base: Baseline) async throws -> GuaranteeResult.Verdict {
        guard file.entities.contains(where: \.allowsInjection) else {
            return .cannotBeJudged(noInjection)
        }
        let injector = PageInjector(.empty, source, pages)
        let result = try await runJobFromClean(through: injector)
        guard injector.isTaken else { return .cannotBeJudged("no page leads to another") }
        guard result.outcome == "complete" else {
            return .fails("the run ended \(result.outcome): \(result.error)")
        }
        return try await rows.stored().difference(from: base.stored).map { .fails($0) } ?? .holds
    }

    private func repeated(_ base: Baseline) async throws -> GuaranteeResult.Verdict {
        guard file.entities.contains(where: \.allowsInjection) else {
            return .cannotBeJudged(noInjection)
        }
        let injector = PageInjector(.again, source, pages)
        let result = try await runJobFromClean(through: injector)
        guard injector.isTaken else { return .cannotBeJudged("no page leads to another") }
        guard result.outcome == "failed", result.errorKind == "cursor_loop" else {
            return .fails("the run ended \(result.outcome) \(result.errorKind)")
        }
        let stored = try await rows.stored()
        let foreign = Set(stored.rows).subtracting(base.stored.rows)
        guard foreign.isEmpty else { return .fails("\(foreign.count) rows are others") }
        guard stored.rows.count == result.inserted - result.deleted else {
            return .fails(
                "\(result.inserted) rows were committed, and \(stored.rows.count) are there")
        }
        return .holds
    }

    private var noInjection: String {
        let words = file.entities.map(\.page.style.word)
        let names = Set(words).sorted().joined(separator: ", ")
        return "no page can be put into a pass of style \(names)"
    }
}

extension Page.Style {
    /// The word of a job file.
    fileprivate var word: String {
        switch self {
        case .single: "single"
        case .token: "token"
        case .nextURL: "next_url"
        case .linkHeader: "link_header"
        case .offset: "offset"
        case .number: "page"
        case .keyset: "keyset"
        case .syncToken: "sync_token"
        }
    }
}
