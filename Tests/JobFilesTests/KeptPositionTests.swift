import JSON
import JobFiles
import Testing

@Suite struct KeptPositionTests {
    @Test(arguments: [
        ("12", JSONValue.number("12")), ("-3", .number("-3")), ("0", .number("0")),
        ("-0", .number("-0")), ("1e3", .number("1e3")),
        ("9223372036854775808", .number("9223372036854775808")), ("007", .string("007")),
        ("+5", .string("+5")), ("", .string("")), ("abc", .string("abc")), ("1 ", .string("1 ")),
        (#""12""#, .string("12")), (#""abc"#, .string(#""abc"#)),
    ]) func `a kept position is a number where it is one in JSON, and a text in quotes a text`(
        _ kept: String, _ value: JSONValue
    ) { #expect(KeptPosition.value(kept) == value) }

    @Test(arguments: ["12", "-3", "1e3", "007", "abc", "", #"""#, #""12""#, "ä\n", "-", "1 "])
    func `a text comes back as it was kept`(_ text: String) {
        #expect(KeptPosition.value(KeptPosition.text(text)) == .string(text))
    }
}
