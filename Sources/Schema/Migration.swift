import Postgres

/// One numbered file.
struct Migration: Sendable {
    let number: Int32
    let file: SQLFile

    var checksum: String { Schema.checksum(of: file.text) }

    /// A program that does not know this migration must not work on the database.
    var isBreaking: Bool { file.text.hasPrefix("-- breaking") }

    /// The migrations among the files, by number; throws `.misnumbered`.
    static func all(in files: [SQLFile]) throws -> [Migration] {
        var migrations: [Migration] = []
        for file in files where file.isIn("migrations") {
            let digits = file.name.prefix { $0 != "_" }
            guard digits.count == 4, file.name.utf8.count > 5, let number = Int32(digits),
                number >= 0, !migrations.contains(where: { $0.number == number })
            else { throw SchemaError.misnumbered(file: file.path) }
            migrations.append(Migration(number: number, file: file))
        }
        return migrations.sorted { $0.number < $1.number }
    }
}

/// A row of `jobrunner.migrations`.
struct AppliedMigration: Sendable {
    let number: Int32
    let name: String
    let checksum: String
    let isBreaking: Bool
}

/// How a program's migrations compare to a database's.
struct MigrationState {
    /// In the files, not in the database.
    let pending: [Migration]
    /// In the database, not in the files.
    let unknown: [AppliedMigration]

    /// Throws `.edited` for a migration whose file is not the applied one.
    init(files: [Migration], applied: [AppliedMigration]) throws {
        for migration in files {
            guard let row = applied.first(where: { $0.number == migration.number }) else {
                continue
            }
            guard row.checksum == migration.checksum, row.name == migration.file.name else {
                throw SchemaError.edited(file: migration.file.path)
            }
        }
        pending = files.filter { file in !applied.contains { $0.number == file.number } }
        unknown = applied.filter { row in !files.contains { $0.number == row.number } }
    }

    func refuseBreaking() throws {
        if let row = unknown.first(where: \.isBreaking) {
            throw SchemaError.newerAndBreaking(migration: row.name)
        }
    }
}

extension Session {
    /// The rows of `jobrunner.migrations`; none where the table does not exist.
    func appliedMigrations() throws -> [AppliedMigration] {
        let exists = try query(
            .unprepared("select to_regclass('jobrunner.migrations') is not null")
        ).only().bool(0)
        guard exists else { return [] }
        return try query(
            .unprepared(
                "select number, name, checksum, breaking from jobrunner.migrations order by number")
        ).map { row in
            AppliedMigration(
                number: Int32(clamping: try row.int("number")), name: try row.text("name"),
                checksum: try row.text("checksum"), isBreaking: try row.bool("breaking"))
        }
    }

    /// Applies one migration and notes it, in one transaction.
    func apply(_ migration: Migration) throws {
        try change { session in
            try session.run(migration.file)
            _ = try session.query(
                .unprepared(
                    """
                    insert into jobrunner.migrations (number, name, checksum, breaking)
                    values ($1, $2, $3, $4)
                    """, .int4(migration.number), .text(migration.file.name),
                    .text(migration.checksum), .bool(migration.isBreaking)))
        }
    }

    /// Runs a file's text; an error names the file.
    func run(_ file: SQLFile) throws {
        do { try script(file.text) } catch let error as DatabaseError
            where error.sqlstate != nil && !error.isTransient
        {
            throw SchemaError.failed(file: file.path, error)
        }
    }

    /// A transaction that is repeated when it could not get a lock beside running work.
    func change(_ body: (Session) throws -> Void) throws {
        let attempts = 5
        for attempt in 1...attempts {
            do {
                return try transaction(body)
            } catch let error as TransactionError {
                let isLockTrouble = ["55P03", "40P01", "40001"].contains(
                    error.databaseError?.sqlstate ?? "")
                guard isLockTrouble, attempt < attempts else {
                    throw error.body ?? error.databaseError ?? error
                }
            }
        }
    }
}
