import Glibc
import Postgres

/// How long a change waits for a lock, and how long it is tried again.
let changeLockTimeout = "100ms"
private let changePatience = Duration.seconds(60)

/// One numbered file.
struct Migration: Sendable {
    let number: Int32
    let file: SQLFile

    var checksum: String { Schema.checksum(of: file.text) }

    /// A program that does not know this migration must not work on the database.
    var isBreaking: Bool { file.text.hasPrefix("-- breaking") }

    /// Its statements run one by one, in no transaction, and beside work on their tables: for indexes made `concurrently`
    /// and constraints that are validated.
    ///
    /// It can be begun anew after any of them.
    var isConcurrent: Bool { file.text.hasPrefix("-- concurrently") }

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

    /// Applies one migration and notes it, in one transaction if it may be.
    func apply(_ migration: Migration) throws {
        if migration.isConcurrent { try runApart(migration.file) }
        try change { session in
            if !migration.isConcurrent { try session.run(migration.file) }
            _ = try session.query(
                .unprepared(
                    """
                    insert into jobrunner.migrations (number, name, checksum, breaking)
                    values ($1, $2, $3, $4)
                    """, .int4(migration.number), .text(migration.file.name),
                    .text(migration.checksum), .bool(migration.isBreaking)))
            // The verb that notes acts comes with the code, after the first migration.
            _ = try session.query(
                .unprepared(
                    "insert into jobrunner.audit (verb, object) values ('apply_migration', $1)",
                    .text(migration.file.name)))
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

    /// Runs a file's statements one by one; an error names the file.
    private func runApart(_ file: SQLFile) throws {
        for statement in file.text.split(separator: ";\n") {
            do { try apart(String(statement)) } catch let error as DatabaseError
                where error.sqlstate != nil && !error.isTransient
            {
                throw SchemaError.failed(file: file.path, error)
            }
        }
    }

    /// Runs a statement outside of transactions, and waits however long for those that are open: nobody waits
    /// for it meanwhile.
    func apart(_ statement: String) throws {
        try script("set lock_timeout = 0")
        defer { try? script("set lock_timeout = '\(changeLockTimeout)'") }
        try script(statement)
    }

    /// A transaction that is repeated when it could not get a lock beside running work.
    ///
    /// Whoever wants a table that it waits for waits as well, so each wait is short, and others come in
    /// between.
    func change(_ body: (Session) throws -> Void) throws {
        let end = ContinuousClock.now + changePatience
        while true {
            do {
                return try transaction(body)
            } catch let error as TransactionError {
                let isLockTrouble = ["55P03", "40P01", "40001"].contains(
                    error.databaseError?.sqlstate ?? "")
                guard isLockTrouble, ContinuousClock.now < end else {
                    throw error.body ?? error.databaseError ?? error
                }
                usleep(UInt32.random(in: 50_000...250_000))
            }
        }
    }
}
