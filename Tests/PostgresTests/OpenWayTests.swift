import Testing

@testable import Postgres

/// Whom a connection to the database could be read by.
@Suite struct OpenWayTests {
    private func modes(_ conninfo: String) throws -> [String] {
        try DatabaseConfiguration(conninfo: conninfo, applicationName: "test", lanes: 1).openWays
            .map { "\($0.host) \($0.sslmode)" }
    }

    @Test(arguments: [
        "host=/run/postgresql", "host=@abstract", "postgres://127.0.0.1/x", "postgres://[::1]/x",
        "host=localhost", "postgres://db/x?sslmode=verify-full",
        "host=db hostaddr=127.0.0.2", "postgres:///x?host=/tmp",
    ])
    func `a server that is here, or proves who it is, is no open way`(_ conninfo: String) throws {
        #expect(try modes(conninfo) == [])
    }

    @Test func `a server elsewhere is one below verify-full, also where nothing is said`() throws {
        #expect(try modes("postgres://db/x?sslmode=disable") == ["db disable"])
        for mode in ["allow", "prefer", "require", "verify-ca"] {
            #expect(try modes("host=db sslmode=\(mode)") == ["db \(mode)"])
        }
        #expect(try modes("postgres://db/x") == ["db prefer"])
        #expect(try modes("host=localhost,db,10.0.0.1") == ["db prefer", "10.0.0.1 prefer"])
        #expect(try modes("host=localhost hostaddr=10.0.0.1") == ["10.0.0.1 prefer"])
    }
}
