import JobFiles
import Postgres
import Reading
import Testing

@testable import Writing

/// What a push writes of rows that the source has taken.
@Suite struct SavedRowsTests {
    private let statements: PushStatements
    private let count: Int

    init() throws {
        let tests = #filePath.split(separator: "/").dropLast(2).joined(separator: "/")
        let files = try JobFile.load(directory: "/\(tests)/Chaos/pairs/jobs").get()
        let entity = try #require(files.flatMap(\.entities).first { $0.push != nil })
        statements = PushStatements(entity, try #require(entity.push))
        count = entity.records.fields.count
    }

    private func row(_ text: String) -> UnsentRow {
        UnsentRow(
            values: Array(repeating: .text(text), count: count), version: "1", recordName: text,
            changeTag: nil, isDeleted: false)
    }

    private func sql(_ sent: [String], answered: [String]) -> String {
        let rows = zip(sent, answered).map { sent, answered in
            (
                row(sent),
                AnsweredRecord(tag: "t", modifiedAt: nil, row(answered).values)
            )
        }
        return statements.saved(rows, 1).sql
    }

    @Test func `a column that the source keeps as it was sent in all rows is not compared`() {
        #expect(!sql(["a", "b"], answered: ["a", "b"]).contains("is not distinct from"))
    }

    @Test func `a row of which the source made something else takes it, with all of its batch`() {
        #expect(sql(["a", "b"], answered: ["a", "c"]).contains("is not distinct from"))
    }
}
