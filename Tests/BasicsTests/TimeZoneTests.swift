import Basics
import Testing

/// A clock's rule decides what a time without an offset means.
@Suite struct TimeZoneTests {
    private func utc(_ date: CivilDate, _ hour: Int64, _ minute: Int64 = 0) -> Int64 {
        date.daysSince1970 * 86_400 + hour * 3600 + minute * 60
    }

    @Test func `a clock in Berlin is one hour ahead in winter and two in summer`() throws {
        let berlin = try #require(TimeZone(named: "Europe/Berlin"))
        #expect(berlin.offset(atLocal: utc(CivilDate(year: 2026, month: 1, day: 15), 12)) == 3600)
        #expect(berlin.offset(atLocal: utc(CivilDate(year: 2026, month: 7, day: 15), 12)) == 7200)
        #expect(berlin.offset(atLocal: utc(CivilDate(year: 2060, month: 7, day: 15), 12)) == 7200)
    }

    @Test func `of two instants that a clock shows alike the earlier one counts`() throws {
        let berlin = try #require(TimeZone(named: "Europe/Berlin"))
        let local = utc(CivilDate(year: 2026, month: 10, day: 25), 2, 30)
        #expect(berlin.offset(atLocal: local) == 7200)
    }

    @Test func `a time that a clock leaps over lies within an hour of the leap`() throws {
        let berlin = try #require(TimeZone(named: "Europe/Berlin"))
        let day = CivilDate(year: 2026, month: 3, day: 29)
        let instant = utc(day, 2, 30) - berlin.offset(atLocal: utc(day, 2, 30))
        #expect(instant >= utc(day, 1) && instant <= utc(day, 2))
    }

    @Test(arguments: ["+02:00", "UTC", "America/Argentina/Buenos_Aires", "Etc/GMT+5"])
    func `names and offsets are known`(name: String) {
        #expect(TimeZone(named: name) != nil)
    }

    @Test(arguments: [
        "", "Europe/Atlantis", "../../etc/passwd", "/etc/localtime", "1", "Berlin time",
    ])
    func `what is no zone is refused`(name: String) {
        #expect(TimeZone(named: name) == nil)
    }
}
