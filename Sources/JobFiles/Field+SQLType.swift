extension Field.Kind {
    /// The type of the field's column in its synced table, in PostgreSQL's own spelling.
    ///
    /// A duration is in seconds.
    public var sqlType: String {
        switch self {
        case .text, .url: "text"
        case .timestamp: "timestamp with time zone"
        case .duration, .double: "double precision"
        case .int: "bigint"
        case .decimal: "numeric"
        case .bool: "boolean"
        case .json: "jsonb"
        }
    }
}
