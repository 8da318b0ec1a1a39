import HTTP
import JobFile
import Sync

// The guarantees, each from a clean state.
extension Battery {
    /// The run that all others are compared with.
    struct Baseline: Sendable {
        var stored: Stored
        var ended: Ended
        var seen: Observer.Seen
    }

    /// Tries every guarantee; `tell` has each judgement at once.
    ///
    /// Throws `BatteryError` when the source is away or the job does not run.
    public func run(_ tell: (Judgement) throws -> Void) async throws {
        let observer = Observer(source, pages)
        let ended = try await workAnew(observer)
        try expectComplete(ended)
        let base = Baseline(
            stored: try await rows.stored(), ended: ended, seen: observer.seen)
        try tell(Judgement(guarantee: .counters, finding: counters(base)))
        try tell(
            Judgement(guarantee: .unchangedWritesNothing, finding: try await secondRun(base)))
        let (resumes, waits) = try await cuts(base)
        try tell(Judgement(guarantee: .resumes, finding: resumes))
        try tell(Judgement(guarantee: .watermarkWaits, finding: waits))
        try tell(Judgement(guarantee: .orderIndependence, finding: try await order(base)))
        try tell(Judgement(guarantee: .emptyPageGoesOn, finding: try await emptyPage(base)))
        try tell(
            Judgement(guarantee: .repeatedPositionFails, finding: try await repeated(base)))
    }

    /// Throws when a run that nothing was done to did not come to its end.
    private func expectComplete(_ ended: Ended) throws {
        guard ended.outcome != "complete" else { return }
        let away = ["unavailable", "timed_out", "rate_limited", "blocked"]
        let message =
            ended.outcome == "skipped"
            ? "the run was skipped: \(ended.error.isEmpty ? ended.errorKind : ended.error)"
            : "the run ended \(ended.outcome): \(ended.error)"
        throw BatteryError(
            cause: away.contains(ended.errorKind) ? .sourceIsAway : .jobDoesNotRun,
            message: message)
    }

    private func counters(_ base: Baseline) -> Judgement.Finding {
        let ended = base.ended
        guard ended.fetched == ended.parts else {
            return .fails("\(ended.fetched) were fetched, and \(ended.parts) accounted for")
        }
        let mayIgnore = file.entities.contains { $0.cloudkit != nil }
        guard mayIgnore || ended.fetched == base.seen.records else {
            return .fails("\(base.seen.records) came, and \(ended.fetched) were counted")
        }
        // Rows go in other ways too where they are merged or cleaned up.
        let isPlain = file.after.isEmpty && !file.entities.contains { $0.write.unique != nil }
        guard !isPlain || ended.deleted > 0 || ended.inserted == base.stored.rows.count else {
            return .fails(
                "\(ended.inserted) were inserted, and there are \(base.stored.rows.count) rows")
        }
        return .holds
    }

    /// As the schedule would run it, and once more as a full pass.
    private func secondRun(_ base: Baseline) async throws -> Judgement.Finding {
        guard base.seen.records > 0 else { return .unjudged("the source has no record") }
        try await rows.makeDue()
        try expectComplete(try await work(source))
        let first = try await rows.stored()
        try await wantFull()
        try expectComplete(try await work(source))
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
    ) async throws -> (resumes: Judgement.Finding, waits: Judgement.Finding) {
        let last = base.seen.pages - 1
        guard last > 0 else {
            let why = Judgement.Finding.unjudged("all was read in one page")
            return (why, why)
        }
        let count = min(last, Self.cutsMax)
        let places = count == 1 ? [1] : (0..<count).map { 1 + $0 * (last - 1) / (count - 1) }
        var resumes = Judgement.Finding.holds
        var isSeen = false
        var moved: String?
        for place in places {
            _ = try await workAnew(Cutter(observer: Observer(source, pages), pagesMax: place))
            for (entity, hasMoved) in try await rows.unfinished() where movesAtEnd(entity) {
                isSeen = true
                if hasMoved { moved = "\(entity)'s has moved after \(place) pages" }
            }
            try await rows.makeDue()
            let observer = Observer(source, pages)
            try expectComplete(try await work(observer))
            if case .holds = resumes, let why = try await unlike(base, observer, after: place) {
                resumes = .fails("cut off after page \(place): \(why)")
            }
        }
        if let moved { return (resumes, .fails(moved)) }
        return (
            resumes,
            isSeen ? .holds : .unjudged("no pass with a watermark or sync token was cut off")
        )
    }

    private func unlike(
        _ base: Baseline, _ observer: Observer, after place: Int
    ) async throws -> String? {
        if let rows = try await rows.stored().difference(from: base.stored) { return rows }
        let again = place + observer.seen.pages - base.seen.pages
        return again > 1 ? "\(again) pages were asked for again" : nil
    }

    /// A persisting keyset's position moves with every page, and is meant to.
    private func movesAtEnd(_ name: String) -> Bool {
        guard let entity = file.entities.first(where: { $0.name == name }) else { return false }
        if case .syncToken = entity.page.style { return true }
        return entity.incremental != nil && !entity.page.persists
    }

    private func order(_ base: Baseline) async throws -> Judgement.Finding {
        guard base.seen.records > 1 else { return .unjudged("the source has too few records") }
        try expectComplete(try await workAnew(Shuffler(inner: source, pages: pages)))
        let difference = try await rows.stored().difference(from: base.stored)
        let ordered = file.entities.filter {
            $0.write.mode == .insertNew || $0.write.mode == .overwrite
        }
        if base.ended.repeated > 0, let entity = ordered.first {
            return .unjudged(
                "the source shows a record twice, and with \(entity.write.mode.rawValue) the"
                    + " first or last one counts")
        }
        return difference.map { .fails($0) } ?? .holds
    }

    private func emptyPage(_ base: Baseline) async throws -> Judgement.Finding {
        guard file.entities.contains(where: \.allowsDetour) else { return .unjudged(noDetour) }
        let detour = Detour(.empty, source, pages)
        let ended = try await workAnew(detour)
        guard detour.isTaken else { return .unjudged("no page leads to another") }
        guard ended.outcome == "complete" else {
            return .fails("the run ended \(ended.outcome): \(ended.error)")
        }
        return try await rows.stored().difference(from: base.stored).map { .fails($0) } ?? .holds
    }

    private func repeated(_ base: Baseline) async throws -> Judgement.Finding {
        guard file.entities.contains(where: \.allowsDetour) else { return .unjudged(noDetour) }
        let detour = Detour(.again, source, pages)
        let ended = try await workAnew(detour)
        guard detour.isTaken else { return .unjudged("no page leads to another") }
        guard ended.outcome == "failed", ended.errorKind == "cursor_loop" else {
            return .fails("the run ended \(ended.outcome) \(ended.errorKind)")
        }
        let stored = try await rows.stored()
        let foreign = Set(stored.rows).subtracting(base.stored.rows)
        guard foreign.isEmpty else { return .fails("\(foreign.count) rows are others") }
        guard stored.rows.count == ended.inserted - ended.deleted else {
            return .fails(
                "\(ended.inserted) rows were committed, and \(stored.rows.count) are there")
        }
        return .holds
    }

    private var noDetour: String {
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
