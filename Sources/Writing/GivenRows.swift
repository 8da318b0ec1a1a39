import JobFiles
import Postgres

/// Rows handed to a statement: their keys, the version they were read in, and more per row.
struct GivenRows {
    let binds: [Bind]
    let match: String
    let extraCount: Int
    private let columns: [String]
    private let keyTypes: [String]

    init(_ statements: PushStatements, _ rows: [UnsentRow], extra: [String]) {
        let keys = statements.keyIndexes.map { statements.fields[$0] }
        binds =
            zip(statements.keyIndexes, keys).map { index, field in
                field.bind(rows.map { $0.values[index] })
            } + [.textArray(rows.map(\.version))]
        match = keys.enumerated().map { "t.\(quoted($1.name)) = g.key_\($0)" }
            .joined(separator: " and ")
        columns = keys.indices.map { "key_\($0)" } + ["row_version"] + extra.map(quoted)
        keyTypes = keys.map(\.arrayType)
        extraCount = extra.count
    }

    func select(types: [String]) -> String {
        let all = keyTypes + ["text"] + types
        let arrays = all.enumerated().map { "$\($0 + 2)::\($1)[]" }
        return "select * from unnest(\(arrays.joined(separator: ", "))) "
            + "as g (\(columns.joined(separator: ", ")))"
    }
}
