import Testing

@testable import Importing

@Suite struct ExpressionTests {
    @Test(arguments: [
        "config.a.b", "config['a']['b']", "config.get('a', {}).get('b')", "(config.a or {}).b",
        "config.get('a').get('b', '')", "config['a'][\"b\"] or none",
    ])
    func `one place has many spellings`(text: String) throws {
        let expression = try #require(ExpressionParser.parse(text))
        #expect(expression.reference == Reference(root: "config", path: ["a", "b"]))
    }

    @Test(arguments: ["a +", "a b", "f(", "{'a'}", "a ? b", "'open", "not", "a if"])
    func `what is no expression is none`(text: String) {
        #expect(ExpressionParser.parse(text) == nil)
    }

    @Test(arguments: [
        ("now_utc() - duration('P7D')", -7), ("day_delta(-3)", -3), ("today_utc()", 0),
        ("now_utc() + timedelta(days=1)", 1),
    ])
    func `times by the clock`(text: String, days: Int64) {
        #expect(ExpressionParser.parse(text)?.clock?.milliseconds == days * 86_400_000)
    }

    @Test(arguments: [
        ("%Y-%m-%d", "yyyy-MM-dd"), ("%s", "epoch_s"), ("%ms", "epoch_ms"),
        ("%Y-%m-%dT%H:%M:%S%z", "iso8601"),
        ("%Y-%m-%dT%H:%M:%SZ", "yyyy-MM-dd'T'HH:mm:ss'Z'"), ("%d/%m/%Y %H:%M", "dd/MM/yyyy HH:mm"),
    ])
    func `formats of times`(strftime: String, format: String) {
        #expect(TimeForms.sent(strftime) == format)
    }

    @Test(arguments: [("P1M", 30), ("P1W", 7), ("PT24H", 1), ("P1Y", 365)])
    func `spans`(text: String, days: Int64) {
        #expect(isoSpan(text) == days * 86_400_000)
        #expect(isoSpan("30 days") == nil)
    }

    @Test(arguments: [
        ("orderItems", "order_items"), ("Order Items", "order_items"), ("3d", "n3d"),
        ("HTTPCode", "http_code"), ("_x-y", "x_y"),
    ])
    func `names`(text: String, name: String) {
        #expect(snakeCase(text) == name)
        #expect(shortened(String(repeating: "a", count: 80)).count == 63)
    }
}
