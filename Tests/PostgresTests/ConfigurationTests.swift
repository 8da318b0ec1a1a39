import Postgres
import Testing

struct ConfigurationTests {
    @Test(arguments: [
        "postgres://user:hunter2@host:port@x/db?bad", "user=u password=it's hunter2",
        "password=hun hunter2", "postgres://u:hunter2%zz@host/db", "hunter2",
        "postgres://u:hunter2@[::1/db", "mysql://u:hunter2@host/db", "password='hunter2",
        "hunter2=1", "postgres://u:a\"hunter2%zz\"@host/db", "postgres://u:p@hunter2@host/db",
        "postgresql://u:p/hunter2@host/db", "postgres://u:p@w@hunter2:5432/db?sslmode=disable",
    ])
    func `a connection string that can't be read is refused without quoting it`(text: String) {
        let error = #expect(throws: DatabaseError.self) {
            try DatabaseConfiguration(conninfo: text, applicationName: "test", lanes: 1)
        }
        #expect(error?.code == .invalidConfiguration)
        #expect(error?.description.contains("hunter2") == false)
        #expect(
            error.map { "\($0.message) \(String(reflecting: $0))".contains("hunter2") } == false)
    }

    @Test(arguments: [
        "postgres://u:p%40hunter2@h/db", "postgres://h/db?user=a@b", "postgres://u:p@/db?host=@x",
        "user=a@b password=p@hunter2 host=h dbname=db", "postgres://u:p?hunter2@h/db",
    ])
    func `an at sign that libpq reads as it is meant is no mistake`(text: String) throws {
        let configuration = try DatabaseConfiguration(
            conninfo: text, applicationName: "test", lanes: 1)
        #expect(!configuration.redacted.contains("hunter2"))
    }

    @Test func `the redacted form names host, port, database and user only`() throws {
        let configuration = try DatabaseConfiguration(
            conninfo: "postgres://app:hunter2@db.example:5433/jobs", applicationName: "test",
            lanes: 1)
        #expect(configuration.redacted == "host=db.example port=5433 dbname=jobs user=app")
    }

    @Test(arguments: [0, 9, -1])
    func `lanes are one to eight`(lanes: Int) {
        let error = #expect(throws: DatabaseError.self) {
            try DatabaseConfiguration(conninfo: nil, applicationName: "test", lanes: lanes)
        }
        #expect(error?.code == .invalidConfiguration)
    }

    @Test func `errors tell the statement but never its values`() async throws {
        let error = await databaseError {
            _ = try await shared.run { session in
                try session.query(
                    Statement("select $1::text::int as\n number", .text("hunter2")))
            }
        }
        #expect(error?.code == .server("22P02"))
        #expect(error?.description.contains("hunter2") == false)
        #expect(error?.description.contains("in: select $1::text::int as number") == true)
    }
}
