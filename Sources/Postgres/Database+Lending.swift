extension Database {
    /// Lends sessions for the time of the body, and closes them however it ends.
    public static func withSessions<R>(
        _ configuration: DatabaseConfiguration, _ body: (Database) async throws -> R
    ) async throws -> R {
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
}
