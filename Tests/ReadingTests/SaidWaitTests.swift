import Reading
import Testing

/// A source says in many ways how long it wants to be left alone.
@Suite struct SaidWaitTests {
    /// Sun, 06 Nov 1994 08:49:37 GMT.
    private static let then = 784_111_777

    @Test(arguments: [
        ("0", 0.0), ("120", 120), (" 7 ", 7), ("-5", 0), ("-0", 0), ("007", 7), ("8.5", 8.5),
        ("1e3", 1000),
        ("0.25", 0.25), ("315360000", 315_360_000),
        ("Sun, 06 Nov 1994 08:50:37 GMT", 60), ("Sunday, 06-Nov-94 08:50:37 GMT", 60),
        ("Sun Nov  6 08:50:37 1994", 60), ("Sun, 06 Nov 1994 08:00:00 GMT", 0),
        ("Fri, 04 Nov 2094 08:49:37 GMT", 3_155_587_200),
        ("1994-11-06T08:50:37Z", 60), ("1994-11-06T08:50:37.5Z", 60.5),
        ("1994-11-06T09:50:37+01:00", 60), ("1994-11-06 08:50:37", 60),
        ("1990-01-01T00:00:00Z", 0),
        ("1784111777", 1_000_000_000), ("1784111777.5", 1_000_000_000.5),
        ("1784111777000", 1_000_000_000), ("1784111777500", 1_000_000_000.5),
    ])
    func `a span or a time is read`(_ text: String, _ seconds: Double) {
        #expect(SaidWait.seconds(text, now: Self.then) == seconds)
    }

    @Test(arguments: [("1500", 1.5), ("8500.5", 8.5005), ("1784111777000", 1_000_000_000.0)])
    func `a span may count milliseconds`(_ text: String, _ seconds: Double) {
        #expect(SaidWait.seconds(text, countsMilliseconds: true, now: Self.then) == seconds)
    }

    @Test(arguments: [
        "", "-", "soon", "1e999", "12 s", "+5", "٣", "nan", "inf", "0x10", "1.2.3",
        "Sun, 06 Nov 1994", "Sun, 32 Nov 1994 08:49:37 GMT", "Sun, 06 Abc 1994 08:49:37 GMT",
        "Sun, 06 Nov 1994 24:49:37 GMT", "Sun, 06 Nov 1994 08:49 GMT",
        "Sun, 06 Nov 1994 08:49:37 PST", "Sun, 06 Nov 199 08:49:37 GMT", "2026-13-01T00:00:00Z",
    ])
    func `anything else is nothing`(_ text: String) {
        #expect(SaidWait.seconds(text, now: Self.then) == nil)
    }

    @Test func `where no clock is known a time is nothing and a span is one`() {
        #expect(SaidWait.seconds("Sun, 06 Nov 1994 08:50:37 GMT", now: nil) == nil)
        #expect(SaidWait.seconds("1994-11-06T08:50:37Z", now: nil) == nil)
        #expect(SaidWait.seconds("12.5", now: nil) == 12.5)
    }
}
