/// Records of one type in one database.
struct FixtureRecords {
    /// The time of the first record; each later one is a second younger.
    static let begin: Milliseconds = 1_735_689_600_000  // 2025-01-01

    /// Nil for the public database.
    let user: String?
    let type: String
    let count: Int
    /// The name and fields of the record with this number.
    let make: (Int) -> (String, [String: CloudField])
}

extension CloudField {
    static func text(_ value: String) -> CloudField { CloudField("STRING", .string(value)) }

    static func int(_ value: Int) -> CloudField { CloudField("INT64", .int(Int64(value))) }

    static func double(_ value: Double) -> CloudField { CloudField("DOUBLE", .number(value)) }

    static func time(_ value: Milliseconds) -> CloudField { CloudField("TIMESTAMP", .int(value)) }
}
