import Testing

@testable import Postgres

@Suite struct RedactionTests {
    @Test(arguments: ["\u{301}secret", "secret\u{600}", "\u{301}", "a\"b"])
    func `what the server quotes is taken out, also where it joins with the quotes`(_ data: String)
    {
        #expect(redactingQuoted("invalid token \"\(data)\" here") == "invalid token \"…\" here")
    }
}
