import Asking
import Basics
import HTTP
import JSON
import JobFiles
import JobQueue
import Reading
import Telemetry

/// Asks the source for the pages of one entity, judges the answers, and reads them.
final class PageSource {
    private let context: RunContext
    private let part: EntityPart
    private let reader: PageReader
    private let rules: ErrorRules
    private let mask: PositionMask
    private var recoveries: Recoveries

    init(of part: EntityPart, _ context: RunContext, _ calls: Calls) {
        self.part = part
        self.context = context
        recoveries = Recoveries(of: part.entity, context, calls)
        let file = context.inputs.file
        mask = PositionMask(of: part.entity, file.source)
        rules = ErrorRules(part.entity, quotes: context.session.quotes)
        reader = PageReader(
            part.entity, context.session.dialect,
            isTooOld: Self.ageTests(part.entity, context.inputs),
            signInName: file.source.auth.queryName, zone: context.inputs.zone)
    }

    private var entity: Entity { part.entity }

    /// Asks for the page after the pass's position and reads it whole.
    ///
    /// `isFirst`: this run has committed no page of the pass.
    func fetch(_ pass: inout PassState, isFirst: Bool) async throws -> Fetched {
        if part.isGone { return .page(.empty(entity, at: pass.cursor)) }
        recoveries.beginPage()
        while true {
            var answer = try await ask(pass)
            try protectSecrets(in: &answer)
            if let fetched = try judged(answer, pass) { return fetched }
            switch answer.kind(for: entity.request) {
            case .content where isKnown(answer, &pass):
                return .page(.unmodified(entity, reached: pass.syncToken))
            case .content: return try await read(answer, &pass)
            case .empty: return .page(.empty(entity, at: pass.cursor))
            case .unchanged where entity.isConditional && pass.isAtStart:
                return .page(.unmodified(entity, reached: pass.syncToken))
            case .notYet where !recoveries.isDeclared(for: answer):
                throw context.session.end(ofUnready: answer, method: entity.request.method)
            case .unchanged, .notYet, .other: break
            }
            let isRefused = isFirst && answer.mayRefuseCursor
            if let end = refusal(of: pass, answer, isRefused) {
                if let newest = pass.sinceOfNewest(entity) { return .goOn(since: newest) }
                guard isSecondRefusal(of: pass) else { throw end }
                return .positionLost(end)
            }
            switch try await recoveries.recover(from: answer) {
            case .retryRequest: continue
            case .beginAnew: return .beginAnew
            }
        }
    }

    // What need not wait is not inlined: each run that waits for an answer has the frame of `fetch` in memory.

    /// What the file's own rules make of an answer; nil where none fits, and of a list that says that it failed.
    ///
    /// A list is skipped, or empty, from its beginning on: behind its first page such an answer says that the position is
    /// worth nothing, and a position of an earlier pass is asked for anew without it.
    @inline(never)
    private func judged(_ answer: Answer, _ pass: PassState) throws -> Fetched? {
        switch answer.verdict {
        case nil, .retry: return nil
        case .fail(let said):
            if answer.kind(for: entity.request) == .content { return nil }
            throw context.session.end(by: said)
        case .end: return .page(.nothing(of: entity))
        case .empty where entity.incremental?.window != nil && !pass.isBeyondBeginning(of: entity):
            return .page(.empty(entity, at: pass.cursor))
        case .skip(let reason), .empty(let reason):
            guard pass.isAtStart else { return try refused(behind: pass, reason) }
            if pass.isBeyondBeginning(of: entity) { return .beginAnew }
            if case .skip = answer.verdict { return .skipped(reason) }
            return pass.isFull || !entity.sweeps
                ? .page(.empty(entity, at: pass.cursor)) : .beginAnew
        }
    }

    /// A position that two runs in a row were told nothing of is given up, as one that the source refuses.
    private func refused(behind pass: PassState, _ reason: String) throws -> Fetched {
        let end = RunEnd.failed(
            .cursorRefused, "\(reason); that is no end of a list whose pages before were read")
        guard isSecondRefusal(of: pass) else { throw end }
        return .positionLost(end)
    }

    /// Asks the probe; the text stands for what it answered.
    func ask(_ probe: Probe, _ pass: PassState) async throws -> String {
        var values = values(of: pass)
        values.pageToken = nil
        values.pageSize = 1
        let answer = try await context.session.send(probe.request, values, retries: true)
        guard answer.kind(for: probe.request) == .content else {
            throw context.session.end(ofUnexpected: answer, method: probe.request.method)
        }
        let root = try answer.document().root
        let text = JSONValue.array(
            probe.skipIfSame.map { $0.first(in: root)?.value ?? .null }
        ).text
        try context.session.credentials.checkHoldNone(text, "the answer to the probe")
        return text
    }

    /// Whatever becomes of the answer, no text shows what its records bring; of one that can't be read nobody knows where
    /// that stands, and it is quoted by nobody.
    ///
    /// Throws `PageError` for a page that brings too many.
    @inline(never)
    private func protectSecrets(in answer: inout Answer) throws {
        guard !entity.records.secrets.isEmpty else { return }
        if let document = try? answer.document() {
            try context.session.credentials.protect(brought: reader.secretValues(document.root))
        } else if answer.kind(for: entity.request) != .content {
            answer.response.body = []
        }
    }

    private func ask(_ pass: PassState) async throws -> Answer {
        var values = values(of: pass)
        if entity.page.continuesByAddress,
            let url = pass.cursor.map({ mask.unmasked($0, context.session.credentials) })
        {
            return try await context.session.send(
                entity.request, values, retries: true, to: url, judgedBy: rules)
        }
        let isUnnamed = !entity.page.sendsStart && !pass.isBeyondBeginning(of: entity)
        values.pageToken = isUnnamed ? nil : pass.cursor.map(entity.pageToken)
        let validator = mayBeKnown(pass) ? pass.validator : nil
        return try await context.session.send(
            entity.request(at: pass.cursor), values, retries: true, validator: validator,
            judgedBy: pass.isAtStart ? rules.ofFirstPage : rules)
    }

    @inline(never)
    private func values(of pass: PassState) -> PassValues {
        var values = PassValues()
        let zone = context.inputs.zone
        values.since = pass.passSince.map { entity.sinceValue($0, in: zone) }
        values.until = pass.until(entity).map { entity.untilValue($0, in: zone) }
        values.pageSize = entity.page.size
        values.chunk = part.item?.chunk
        values.each = part.item?.values ?? [:]
        return values
    }

    /// How the run ends that can't go on at a position which the source has given and now refuses; nil when the
    /// answer is not of that kind.
    @inline(never)
    private func refusal(of pass: PassState, _ answer: Answer, _ isRefused: Bool) -> RunEnd? {
        guard pass.isBeyondBeginning(of: entity), !recoveries.isDeclared(for: answer),
            case .failed(let word, let message) = context.session.end(
                ofUnexpected: answer, method: entity.request.method),
            word == ErrorKind.rejected.rawValue || isRefused,
            (400..<500).contains(answer.response.status)
        else { return nil }
        return .failed(.cursorRefused, "\(message) (where the pass goes on)")
    }

    /// Once may be an accident.
    ///
    /// Refused in two runs in a row, the stored position is of no use any more
    /// (docs/decisions/0023).
    private func isSecondRefusal(of pass: PassState) -> Bool {
        let stored = context.checkpoints[entity]
        return stored.isCursorRefused && pass.given(entity) == (stored.cursor ?? stored.syncToken)
    }

    private func read(_ answer: Answer, _ pass: inout PassState) async throws -> Fetched {
        let document = try listed(answer)
        if case .fail(var said) = answer.verdict {
            said.wait = waitInHeader(of: answer)
            return .failing(
                remains(of: answer, document, pass), context.session.end(by: said))
        }
        if let lists = try reader.innerLists(in: document.root, from: answer.url) {
            return .page(try await page(answer, reading: lists, pass))
        }
        if let texts = reader.assetTexts(in: document.root) {
            let (whole, holds) = try await AssetDownloads(for: context).whole(texts)
            var page = try page(answer, whole, pass)
            page.holds += holds
            return .page(page)
        }
        return .page(try page(answer, document, pass))
    }

    /// Whether an answer that is as last time says that nothing has changed: not of an empty table, nor to a run that a
    /// person forces.
    private func mayBeKnown(_ pass: PassState) -> Bool {
        entity.isConditional && pass.isAtStart && !context.inputs.job.isForced
            && !context.inputs.emptyTables.contains(entity.write.table)
    }

    /// Whether the answer is the one that the last pass read and that was all of its list.
    ///
    /// Only of a source that names no version of its answers: another one says so by 304. Notes what the next pass asks
    /// with; a validator that repeats a secret is not kept, as one that can't be sent is not.
    @inline(never)
    private func isKnown(_ answer: Answer, _ pass: inout PassState) -> Bool {
        guard entity.isConditional, pass.isAtStart else { return false }
        if case .fail = answer.verdict { return false }
        let last = mayBeKnown(pass) ? pass.validator : nil
        if let validator = answer.validator {
            pass.validator = context.session.credentials.holdsSecret(validator) ? nil : validator
            return false
        }
        pass.validator = answer.likeness(positionHeader: entity.page.positionHeader)
        return pass.validator == last
    }

    /// The page as its records are read of it.
    @inline(never)
    private func listed(_ answer: Answer) throws -> JSONDocument {
        if entity.records.areLines {
            do {
                return try entity.records.list(ofLines: answer.response.body)
            } catch {
                throw RunEnd.failed(.malformed, "the page is no JSON value a line: \(error)")
            }
        }
        let document = try answer.document()
        do {
            return try entity.records.withList(document)
        } catch {
            throw RunEnd.failed(.malformed, "the page's map is too large to be a list: \(error)")
        }
    }

    /// The page with the rest of its inner lists, which is asked for here and written with it.
    private func page(
        _ answer: Answer, reading unread: InnerLists, _ pass: PassState
    ) async throws -> FetchedPage {
        var lists = unread
        var holds: [BodyHold] = []
        var request = entity.request
        request.method = "GET"
        request.body = nil
        while let address = lists.next {
            let rest = try await context.session.send(
                request, values(of: pass), retries: true, to: address, judgedBy: rules)
            if isMissing(rest) {
                lists.giveUp(status: rest.response.status)
                continue
            }
            if case .fail(let said) = rest.verdict { throw context.session.end(by: said) }
            guard rest.kind(for: request) == .content else {
                throw context.session.end(ofUnexpected: rest, method: request.method)
            }
            try lists.take(rest.document().root, from: rest.url)
            holds += [rest.response.hold].compactMap(\.self)
        }
        let whole = lists.wholePage
        guard whole.count <= HTTPLimits().decodedBytesMax,
            let document = try? JSONDocument(parsing: whole)
        else {
            throw RunEnd.failed(
                .malformed,
                "the page and the rest of its inner lists are larger than one page may be; a smaller page.size has less"
            )
        }
        var page = try page(answer, document, pass, cut: lists.cut)
        page.holds += holds
        return page
    }

    /// The rest of an inner list is not to be had, so that the list stays cut.
    private func isMissing(_ rest: Answer) -> Bool {
        switch rest.verdict {
        case .skip, .empty, .end: true
        case nil: [404, 410].contains(rest.response.status)
        case .retry, .fail: false
        }
    }

    /// How long an answer asks to be left alone in its header, whatever its status says.
    private func waitInHeader(of answer: Answer) -> Duration? {
        answer.response.header("Retry-After")
            .flatMap { SaidWait.seconds($0, now: context.session.unixSeconds) }
            .map { .milliseconds(Int(min($0, 1e9) * 1000)) }
    }

    /// What can be read of an answer that says that it failed; often there is no list at all.
    @inline(never)
    private func remains(
        of answer: Answer, _ document: JSONDocument, _ pass: PassState
    ) -> FetchedPage {
        (try? page(answer, document, pass))
            ?? FetchedPage(batch: RecordBatch(entity), next: NextPosition())
    }

    @inline(never)
    private func page(
        _ answer: Answer, _ document: JSONDocument, _ pass: PassState, cut: CutLists? = nil
    ) throws -> FetchedPage {
        var page = try reader.read(
            document.root, of: answer.response, from: answer.url, at: pass.cursor,
            begun: pass.startedAt, now: Int64(context.session.unixSeconds) * 1_000_000,
            fullPage: context.checkpoints.given(entity.name).fullPage, cut: cut)
        page.next = page.next.mapping { mask.masked($0, context.session.credentials) }
        let redactor = context.redactor
        page.batch.failures = page.batch.failures.map { $0.sanitised(redactor) }
        page.batch.remarks = page.batch.remarks.map { $0.sanitised(redactor) }
        page.batch.foreignTypes = Set(page.batch.foreignTypes.map(redactor.sanitised))
        for (name, values) in page.batch.unread {
            page.batch.unread[name]?.example = redactor.sanitised(values.example)
        }
        let stored = context.checkpoints.given(entity.name)
        context.warnings.tell(
            of: page.batch, entity: entity.name, isKnown: stored.hadIncompatible)
        context.warnings.tellUnread(
            page.batch.unread, entity.name, known: UnreadValues.read(stored.unread))
        if !context.warnings.tellRemarks(of: page.batch, entity.name, isKnown: stored.knowsAhead) {
            page.batch.remarks = []
        }
        return FetchedPage(
            batch: page.batch, next: page.next, keys: page.keys,
            holds: [answer.response.hold].compactMap(\.self))
    }

    private static func ageTests(_ entity: Entity, _ inputs: RunInputs) -> [AgeTest] {
        let cleaned = inputs.file.after.compactMap { step -> (field: String, span: Duration)? in
            guard case .cleanup(let table, let by, let span) = step.action,
                table == entity.write.table
            else { return nil }
            return (by, span)
        }
        let kept = entity.records.keepIf.compactMap { rule in
            rule.span.map { (field: rule.field, span: $0) }
        }
        return (cleaned + kept).compactMap { limit in
            entity.index(of: limit.field).map {
                AgeTest(
                    field: $0,
                    before: inputs.claimedAtMicroseconds - limit.span.wholeMicroseconds)
            }
        }
    }
}

extension Answer {
    /// A marker is not promised to live long: one of an earlier run may be refused.
    fileprivate var mayRefuseCursor: Bool {
        failure?.code == "BAD_REQUEST" || response.status == 400
    }
}
