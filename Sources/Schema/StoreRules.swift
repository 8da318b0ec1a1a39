import JSON
import JobFiles
import Postgres

/// What stored job files say of tables that are declared `synced`, against the new ones.
struct StoreRules {
    private let tables: [SyncedTable]
    private let jobFiles: [JobFile]

    /// Compares with these job files and their tables.
    init(_ jobFiles: [JobFile], tables: [SyncedTable]) {
        self.jobFiles = jobFiles
        self.tables = tables
    }

    /// A line for every field or entity of a synced store that the new files leave out.
    func removals(in session: Session) throws -> [String] {
        let isStored = try session.query(
            .unprepared("select to_regclass('jobrunner.job_files') is not null")
        ).only().bool(0)
        guard isStored else { return [] }
        let mapped = try session.query(
            .unprepared(mappedSQL, .textArray(jobFiles.map(\.name)))
        ).map { row in
            MappedEntity(
                job: try row.text("job"), name: try row.text("entity"),
                table: try row.text("table_name"), isSynced: try row.bool("is_synced"),
                fields: try row.textArray("fields").compactMap { $0 })
        }
        return mapped.filter { isSynced($0) }.flatMap(removals(from:))
    }

    private func isSynced(_ entity: MappedEntity) -> Bool {
        entity.isSynced || tables.contains { $0.name == entity.table && $0.store == .synced }
    }

    private func removals(from entity: MappedEntity) -> [String] {
        guard let jobFile = jobFiles.first(where: { $0.name == entity.job }) else { return [] }
        let subject = "synced.\(entity.table) is a synced store, which may only be added to"
        guard
            let kept = jobFile.entities.first(where: {
                $0.name == entity.name && $0.write.table == entity.table
            })
        else {
            return ["\(subject): job file \(entity.job) no longer has entity '\(entity.name)'"]
        }
        return entity.fields.filter { kept.records.field(named: $0) == nil }.map {
            "\(subject): job file \(entity.job) no longer maps its column '\($0)'"
        }
    }
}

/// An entity as a job file that was stored before had it.
private struct MappedEntity {
    let job: String
    let name: String
    let table: String
    let isSynced: Bool
    let fields: [String]
}

private let mappedSQL = """
    select f.name as job, e ->> 'entity' as entity, e -> 'write' ->> 'table' as table_name,
      coalesce(f.expanded -> 'stores' -> (e -> 'write' ->> 'table') ->> 'kind' = 'synced', false)
        as is_synced,
      array(
        select k.name from jsonb_object_keys(e -> 'records' -> 'fields') as k (name) order by k.name
      ) as fields
    from jobrunner.job_files as f
    cross join lateral jsonb_array_elements(f.expanded -> 'entities') as e
    where f.name = any ($1) and e -> 'write' ->> 'table' is not null
      and jsonb_typeof(e -> 'records' -> 'fields') = 'object'
    order by f.name, entity
    """
