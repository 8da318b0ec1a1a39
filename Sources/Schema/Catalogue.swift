import Postgres
import Synchronization

/// What the files of `sql/` have made, by name, as far as it can be looked for in the catalogue and made anew.
///
/// What an operator edited, and what a restore or an accident left out, is found by looking: a checksum of what was once
/// applied says nothing of what is there.
struct Catalogue: Sendable {
    /// Names of functions, with their bodies; an aggregate has none.
    let functions: [(name: String, body: String)]
    /// Names of views.
    let views: [String]
    /// Names of the triggers that the files of functions make.
    let triggers: [String]
    /// Names of the indexes that the migrations make, with the statements that do.
    let indexes: [(name: String, statements: [String])]

    /// The latest one, with the checksum of its files: to read them takes as long as all else of a migration that has
    /// nothing to do, and each asks twice.
    private static let latest = Mutex<(checksum: String, catalogue: Catalogue)?>(nil)

    /// What these files make.
    static func of(_ code: Code, _ migrations: [Migration]) -> Catalogue {
        latest.withLock { latest in
            if let latest, latest.checksum == code.checksum { return latest.catalogue }
            let catalogue = Catalogue(code, migrations)
            latest = (code.checksum, catalogue)
            return catalogue
        }
    }

    private init(_ code: Code, _ migrations: [Migration]) {
        functions = code.functions.map { ($0.name, Self.body(of: $0.text)) }
        views = code.views.map(\.name)
        triggers = code.functions.flatMap { file in
            file.text.matches(of: /\ncreate or replace trigger ([a-z_0-9]+)/).map {
                String($0.1)
            }
        }
        var indexes: [(name: String, statements: [String])] = []
        for migration in migrations {
            for statement in migration.file.text.split(separator: ";\n").map(String.init) {
                guard let name = Self.index(after: "create", in: statement) else {
                    if let gone = Self.index(after: "drop", in: statement) {
                        indexes.removeAll { $0.name == gone }
                    } else if let place = indexes.firstIndex(where: {
                        statement.contains("comment on index jobrunner.\($0.name) is ")
                    }) {
                        indexes[place].statements.append(statement)
                    }
                    continue
                }
                indexes.append((name, [statement]))
            }
        }
        self.indexes = indexes
    }

    /// What stands between the dollar quotes.
    private static func body(of text: String) -> String {
        guard let first = text.firstRange(of: "$$"),
            let last = text[first.upperBound...].ranges(of: "$$").last
        else { return "" }
        return String(text[first.upperBound..<last.lowerBound])
    }

    private static func index(after verb: String, in statement: String) -> String? {
        let pattern = verb == "create" ? createdIndex : droppedIndex
        return statement.firstMatch(of: pattern).map { String($0.1) }
    }
}

nonisolated(unsafe) private let createdIndex =
    /(?:^|\n)create (?:unique )?index (?:concurrently )?(?:if not exists )?([a-z_0-9]+) on jobrunner\./
nonisolated(unsafe) private let droppedIndex =
    /(?:^|\n)drop index (?:concurrently )?(?:if exists )?jobrunner\.([a-z_0-9]+)/

extension Session {
    /// A sentence for each function, view and trigger that is not there as the files have it.
    func lacks(of catalogue: Catalogue) throws -> [String] {
        try query(
            .unprepared(
                """
                select case when p.oid is null then 'function jobrunner.' || f.name || ' was missing'
                    else 'function jobrunner.' || f.name || ' was another one' end as lack
                from unnest($1::text[], $2::text[]) as f (name, body)
                left join pg_proc as p on p.pronamespace = 'jobrunner'::regnamespace and p.proname = f.name
                where p.oid is null or f.body <> '' and p.prosrc <> f.body
                union all
                select 'view jobrunner.' || v.name || ' was missing'
                from unnest($3::text[]) as v (name)
                where not exists (
                  select from pg_class as c
                  where c.relnamespace = 'jobrunner'::regnamespace and c.relkind = 'v' and c.relname = v.name
                )
                union all
                select 'trigger ' || t.name || ' was missing'
                from unnest($4::text[]) as t (name)
                where not exists (
                  select from pg_trigger as g
                  join pg_class as c on c.oid = g.tgrelid and c.relnamespace = 'jobrunner'::regnamespace
                  where g.tgname = t.name and g.tgenabled <> 'D'
                )
                order by 1
                """, .textArray(catalogue.functions.map(\.name)),
                .textArray(catalogue.functions.map(\.body)), .textArray(catalogue.views),
                .textArray(catalogue.triggers))
        ).map { try $0.text(0) }
    }

    /// Makes the indexes anew that are missing or were broken off, beside running work; a sentence for each.
    func mendIndexes(of catalogue: Catalogue) throws -> [String] {
        let there = try query(
            .unprepared(
                """
                select c.relname::text as name, x.indisvalid or c.relkind = 'I' as is_whole
                from pg_class as c
                join pg_index as x on x.indexrelid = c.oid
                where c.relnamespace = 'jobrunner'::regnamespace
                """)
        ).map { (name: try $0.text("name"), isWhole: try $0.bool("is_whole")) }
        var sentences: [String] = []
        for index in catalogue.indexes {
            let present = there.first { $0.name == index.name }
            guard present?.isWhole != true else { continue }
            if present != nil { try apart("drop index concurrently jobrunner.\(index.name)") }
            for statement in index.statements { try make(index.name, statement) }
            sentences.append(
                "index jobrunner.\(index.name) was \(present == nil ? "missing" : "broken"), and is made anew"
            )
        }
        return sentences
    }

    /// An index of a partitioned table can't be made beside running work; those are small or seldom written.
    private func make(_ name: String, _ statement: String) throws {
        let beside = statement.replacing(
            /create (unique )?index (?=[a-z_0-9]+ on)/,
            with: { "create \($0.1 ?? "")index concurrently " })
        do { try apart(beside) } catch let error as DatabaseError where error.sqlstate == "0A000" {
            try change { try $0.script(statement) }
        }
    }

    /// Notices that the rows are another server's, whose transactions were numbered by itself; a sentence for who reads events.
    func mendRestored() throws -> [String] {
        var events = 0
        try change { session in
            events = try session.query(.unprepared("select jobrunner.mend_restored()")).only().int(
                0)
        }
        guard events > 0 else { return [] }
        return [
            "the database was restored from another server: \(events) events are numbered anew, and who remembers a place"
                + " in told_events begins anew"
        ]
    }

    /// Moves sequences on that stand behind the rows they number, as after a restore of rows alone; a sentence for each.
    func mendSequences() throws -> [String] {
        var sentences: [String] = []
        try change { session in
            sentences = try session.query(
                .unprepared("select * from jobrunner.mend_sequences()")
            ).map {
                "sequence \(try $0.text(0)) stood at \(try $0.int(1)), behind its rows, and stands at \(try $0.int(2)) now"
            }
        }
        return sentences
    }
}
