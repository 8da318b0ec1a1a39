@testable import Postgres

/// An error as the server or the connection would give it.
func databaseError(_ code: DatabaseError.Code) -> DatabaseError { DatabaseError(code, "x") }
