import Glibc
import JSON
import JobFile
import Postgres
import Queue

/// What a command's body has besides its arguments.
struct Context: Sendable {
    let settings: Settings
    let output: Output

    /// Lends the database for the time of the body.
    ///
    /// Verbs over a whole tenant may take long; a person who has enough of it presses Ctrl-C.
    func withDatabase<R>(_ body: (Database) async throws -> R) async throws -> R {
        var configuration = try settings.databaseConfiguration()
        configuration.statementTimeout = .seconds(600)
        configuration.lockTimeout = .seconds(10)
        configuration.connectPatience = .seconds(2)
        let database = Database(configuration)
        do {
            let result = try await body(database)
            await database.close()
            return result
        } catch {
            await database.close()
            throw error
        }
    }

    /// Lends the verbs for the time of the body.
    func withQueue<R>(_ body: (Queue) async throws -> R) async throws -> R {
        try await withDatabase { try await body(Queue($0)) }
    }

    /// One line on standard output.
    func say(_ line: String) throws { try output.print(readableLine(line)) }

    /// A table for people, or its JSON.
    func show(_ table: Table, asJSON: Bool) throws {
        try output.print(asJSON ? table.json() : table.text())
    }
}

extension Mistake {
    /// The file can't even be opened.
    var isUnreadable: Bool { message.hasPrefix("can't be read:") }
}

/// What the system says of an error number.
func systemMessage(_ number: Int32) -> String { String(cString: strerror(number)) }
