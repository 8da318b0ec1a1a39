import HTTP
import Testing

@testable import Asking

@Suite("By what an answer is known again")
struct ValidatorTests {
    private func answer(
        _ body: String, url: String = "https://h.example/x", _ headers: [HTTPHeader] = []
    ) -> Answer {
        Answer(
            HTTPResponse(status: 200, headers: headers, body: Array(body.utf8)),
            to: HTTPRequest(method: "GET", url: url, headers: [], body: nil), nil)
    }

    @Test
    func `an answer is like another of the same bytes, address and next position, and no other`() {
        let next = HTTPHeader("X-Next", "2")
        let all = [
            answer("[]"), answer("[ ]"), answer("[]", url: "https://h.example/y"),
            answer("[]", [next]),
            answer("[]", url: "https://h.example/x2"),
        ].map { $0.likeness(positionHeader: "x-next") }
        #expect(Set(all).count == all.count)
        // The second of a name counts too, as that of Link may.
        let other = HTTPHeader("X-Next", "3")
        #expect(
            answer("[]", [next, other]).likeness(positionHeader: "x-next")
                != answer("[]", [next]).likeness(positionHeader: "x-next"))
        #expect(
            answer("[]", [HTTPHeader("Date", "now")]).likeness(positionHeader: "x-next") == all[0])
        #expect(
            answer("[]", [next]).likeness(positionHeader: nil)
                == answer("[]").likeness(positionHeader: nil))
    }

    /// It is kept where a validator of the source is, which is sent back.
    @Test func `a likeness is never sent`() {
        let answer = answer("[]")
        #expect(conditions(answer.likeness(positionHeader: nil), url: answer.url).isEmpty)
    }
}
