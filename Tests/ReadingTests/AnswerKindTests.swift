import Reading
import Testing

@Suite struct AnswerKindTests {
    @Test(arguments: [
        (200, AnswerKind.content), (204, .empty), (202, .notYet), (304, .unchanged), (201, .other),
        (203, .other),
        (206, .other), (299, .other), (302, .other), (404, .other), (500, .other), (100, .other),
    ])
    func `only what was expected is a list`(status: Int, kind: AnswerKind) {
        #expect(AnswerKind(status: status, expected: [200]) == kind)
    }

    @Test func `a file may expect another status, and nothing is an empty list all the same`() {
        for status in [201, 202, 203, 206] {
            #expect(AnswerKind(status: status, expected: [200, status]) == .content)
        }
        #expect(AnswerKind(status: 200, expected: [201]) == .other)
        #expect(AnswerKind(status: 204, expected: [204]) == .empty)
    }
}
