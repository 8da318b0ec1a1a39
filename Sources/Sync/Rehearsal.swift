import JSON
import JobFile
import Postgres
import Queue
import Telemetry

/// Thrown where a dry run has read as many pages of an entity as it was asked to.
struct PagesEnough: Error {}

/// What a dry run collects instead of writing it, to be tried in one transaction that is undone.
///
/// The statements are those of a real run, so that what they answer is what it would do.
final class Rehearsal {
    /// Rows that one entity shows before and after.
    private static let changesMax = 3

    private struct Page {
        let entity: Entity
        let batch: RecordBatch
        let commit: PageCommit
        let writes: PageWrites
        let sweep: Sweep?
    }

    private let pagesMax: Int
    private var pages: [Page] = []
    private var ends: [PageCommit] = []
    private var pagesOfPass: [String: Int] = [:]
    private var cleanups: [(table: String, delete: Statement)] = []
    private var unsent: [String] = []
    var hasStoredCredential = false

    /// Reads at most so many pages of each entity or chunk.
    init(pagesMax: Int) { self.pagesMax = pagesMax }

    /// Keeps a page; throws `PagesEnough` when no more of its pass are wanted.
    func keep(
        _ batch: RecordBatch, _ commit: PageCommit, _ writes: PageWrites, _ sweep: Sweep?,
        of entity: Entity
    ) throws {
        pages.append(
            Page(entity: entity, batch: batch, commit: commit, writes: writes, sweep: sweep))
        pagesOfPass[commit.entity, default: 0] += 1
        if !commit.isEnd, pagesOfPass[commit.entity, default: 0] >= pagesMax {
            throw PagesEnough()
        }
    }

    func keep(cleanup delete: Statement, of table: String) { cleanups.append((table, delete)) }

    /// Notes what would have been sent and was not; once each.
    func note(unsent what: String) {
        if !unsent.contains(what) { unsent.append(what) }
    }

    /// Notes a pass whose last page was empty, which writes nothing of its own.
    func keep(end commit: PageCommit) { ends.append(commit) }

    /// Tries everything that was kept, in order, and undoes it.
    ///
    /// Throws `QueueError.superseded` when a run has moved the checkpoints meanwhile.
    func preview(
        _ queue: Queue, for claim: Claim, _ redactor: Redactor,
        deadline: ContinuousClock.Instant
    ) async throws -> Preview {
        var statements: [Statement] = []
        var places: [Range<Int>] = []
        for page in pages {
            let look = RowLook(page.entity, page.batch, for: claim).statement
            let first = statements.count
            statements += [look, page.writes.upsert.statement(page.batch, page.commit, for: claim)]
            statements += page.writes.following(page.batch, page.sweep, for: claim) + [look]
            places.append(first..<statements.count)
        }
        let cleanupsFrom = statements.count
        statements += cleanups.map(\.delete) + [counters(for: claim)]
        let answers = try await queue.rehearse(statements, deadline: deadline)
        var preview = Preview()
        for (page, place) in zip(pages, places) {
            preview.add(page.commit)
            let own = Array(answers[place])
            if page.sweep != nil, let sweep = own.dropLast().last?.first {
                preview.noteSweep(isRefused: try sweep.bool("refused"))
            }
            try preview.addChanges(
                own, key: page.entity.records.key, most: Self.changesMax, redactor)
        }
        for end in ends { preview.add(end, isPage: false) }
        try preview.addCounts(answers[answers.count - 1])
        preview.cleanedUp = try zip(cleanups, answers[cleanupsFrom...]).map { cleanup, rows in
            (table: cleanup.table, rows: try rows.only().int("rows"))
        }
        preview.unsent = unsent
        preview.hasStoredCredential = hasStoredCredential
        return preview
    }

    /// What the pages' own statements have counted in the checkpoints by then.
    private func counters(for claim: Claim) -> Statement {
        let columns = Preview.counters.map { "k.run_\($0)_count as \($0)" }
        return Statement(
            """
            select k.entity, \(columns.joined(separator: ", "))
            from jobrunner.checkpoints as k
            where k.user_id = $1 and k.job_name = $2 and k.run_fence = $3
            """, .int8(claim.userID), .text(claim.name), .int8(claim.fence))
    }
}

/// The rows of a page's keys, as they are stored at the moment.
private struct RowLook {
    /// Columns that are ours, unless a job file has a field of that name.
    private static let bookkeeping = [
        "user_id", "inserted_at", "last_modified", "synced", "push_error", "pending_delete",
        "sent_hashes", "hidden_at",
    ]

    let statement: Statement

    init(_ entity: Entity, _ batch: RecordBatch, for claim: Claim) {
        let keys = entity.records.key
        let fields = keys.compactMap { entity.index(of: $0) }.map { entity.records.fields[$0] }
        let columns = fields.map { quoted($0.name) }
        let arrays = fields.enumerated().map { "$\($0 + 2)::\($1.arrayType)[]" }
        let matches = columns.map { "t.\($0) = k.\($0)" }
        let binds = keys.compactMap { entity.index(of: $0) }.map { Bind.array(batch.written($0)) }
        statement = Statement(
            """
            select jsonb_build_array(\(columns.map { "t.\($0)" }.joined(separator: ", ")))::text as key,
              (to_jsonb(t.*) - $\(fields.count + 2)::text[])::text as row
            from unnest(\(arrays.joined(separator: ", "))) as k (\(columns.joined(separator: ", ")))
            join synced.\(quoted(entity.write.table)) as t
              on t.user_id = $1 and \(matches.joined(separator: " and "))
            """,
            binds: [.int8(claim.userID)] + binds
                + [.textArray(Self.bookkeeping.filter { entity.index(of: $0) == nil })])
    }
}

extension Preview {
    /// What is counted, in the words of the checkpoints.
    fileprivate static let counters = [
        "fetched", "inserted", "updated", "unchanged", "skipped_older", "skipped_incompatible",
        "filtered", "duplicate", "deleted", "swept",
    ]

    /// Adds a page, or the end of a pass that came without one, to its entity.
    fileprivate mutating func add(_ commit: PageCommit, isPage: Bool = true) {
        if entities.last?.name != commit.entity {
            entities.append(Entity(name: commit.entity, pass: commit.passKind.rawValue))
        }
        let last = entities.count - 1
        entities[last].pass = commit.passKind.rawValue
        entities[last].pages += isPage ? 1 : 0
        entities[last].goesOnAfterPage = commit.isEnd ? nil : commit.pageNumber
    }

    fileprivate mutating func noteSweep(isRefused: Bool) {
        entities[entities.count - 1].isSweepRefused = isRefused
    }

    fileprivate mutating func addCounts(_ rows: Rows) throws {
        var counts: [String: [(String, Int)]] = [:]
        for row in rows {
            counts[try row.text("entity")] = try Self.counters.map { ($0, try row.int(.name($0))) }
        }
        for index in entities.indices {
            entities[index].counts =
                entities[index].pages > 0
                ? counts[entities[index].name] ?? [] : Self.counters.map { ($0, 0) }
        }
    }

    /// Adds the first rows that are others after the page than before it.
    fileprivate mutating func addChanges(
        _ answers: [Rows], key columns: [String], most: Int, _ redactor: Redactor
    ) throws {
        let last = entities.count - 1
        guard let before = try answers.first?.byKey(), let after = try answers.last?.byKey() else {
            return
        }
        let changed = Set(before.keys).union(after.keys).filter { before[$0] != after[$0] }.sorted()
        for key in changed.prefix(most - entities[last].changes.count) {
            entities[last].changes.append(
                Change(
                    key: columns, before: try row(before[key], redactor),
                    after: try row(after[key], redactor)))
        }
    }

    private func row(_ text: String?, _ redactor: Redactor) throws -> JSONValue {
        guard let text else { return .null }
        let value = try JSONDocument(parsing: Array(text.utf8)).root.value ?? .null
        return value.mappingTexts(redactor.sanitised)
    }
}

extension Rows {
    fileprivate func byKey() throws -> [String: String] {
        var rows: [String: String] = [:]
        for row in self { rows[try row.text("key")] = try row.text("row") }
        return rows
    }
}

extension JSONValue {
    fileprivate func mappingTexts(_ change: (String) -> String) -> JSONValue {
        switch self {
        case .string(let text): .string(change(text))
        case .array(let elements): .array(elements.map { $0.mappingTexts(change) })
        case .object(let members):
            .object(members.map { JSONMember($0.name, $0.value.mappingTexts(change)) })
        default: self
        }
    }
}
