public import Postgres

/// Why the database's schema and this program do not go together.
public enum SchemaError: Error, Sendable, CustomStringConvertible {
    /// The database lacks what this program needs; the text says what.
    case older(String)
    /// A migration that this program does not know is flagged breaking.
    case newerAndBreaking(migration: String)
    /// An applied migration's file is not the one that was applied.
    case edited(file: String)
    /// The given files are not numbered `migrations/NNNN_noun.sql`, once each.
    case misnumbered(file: String)
    /// Job files and synced tables contradict each other: one line each, and nothing was changed.
    case incompatible([String])
    /// The server refused a file.
    case failed(file: String, DatabaseError)

    /// What is wrong and what would be right.
    public var description: String {
        switch self {
        case .older(let what): "the database \(what): run `jobrunner migrate`"
        case .newerAndBreaking(let migration):
            "the database has migration \(migration), which this version of jobrunner must not "
                + "work with: use a newer one"
        case .edited(let file):
            "sql/\(file) was edited after it was applied: restore it and put the change into a new "
                + "migration"
        case .misnumbered(let file):
            "sql/\(file): expected migrations/NNNN_noun.sql with a number of its own"
        case .incompatible(let differences): differences.joined(separator: "\n")
        case .failed(let file, let error):
            "sql/\(file): \(error)" + (error.position.map { "; at character \($0)" } ?? "")
        }
    }
}
