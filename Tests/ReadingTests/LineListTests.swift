import JSON
import JobFiles
import TestJobFiles
import Testing

@testable import Reading

/// The list that the lines of a body are.
@Suite struct LineListTests {
    private func list(_ body: String) throws -> [String] {
        let records = try entity(at: "[]").records
        return try records.list(ofLines: Array(body.utf8)).root.elements.map(\.rawText)
    }

    @Test func `each line is a value by itself, whatever blanks are around it`() throws {
        #expect(try list("{\"a\": 1}\r\n \n\t[2, 3] \n\"x\"") == ["{\"a\": 1}", "[2, 3]", "\"x\""])
        #expect(try list("\n \r\n").isEmpty)
    }

    @Test(arguments: [
        "\"a\nb\"", "{\"a\": \"x\ny\"}\n", "[1\n2]", "1,2", "1\n2, 3\n", "1,2\n[3\n4]", "{}\n,{}",
        "1 2",
        "1]\n[2", "1]",
    ])
    func `a value over lines, or several in one, is refused and never joined to another`(
        _ body: String
    ) {
        #expect(throws: JSONError.self, "\(body)") { try list(body) }
    }

    @Test func `a mark of the byte order may stand before the first line`() throws {
        #expect(try list("\u{FEFF}1\n2") == ["1", "2"])
        #expect(throws: JSONError.self) { try list("1\n\u{FEFF}2") }
    }
}
