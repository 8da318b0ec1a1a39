/// A day of the proleptic Gregorian calendar.
public struct CivilDate: Sendable, Equatable {
    /// The year; 0 is the one before 1.
    public var year: Int64
    /// From 1 to 12.
    public var month: Int64
    /// From 1 to 31.
    public var day: Int64

    /// Names a day; nothing is checked.
    public init(year: Int64, month: Int64, day: Int64) {
        self.year = year
        self.month = month
        self.day = day
    }

    /// The day that is so many days after 1970-01-01 (Howard Hinnant's algorithm).
    public init(daysSince1970 days: Int64) {
        let (era, dayOfEra) = floorDivision(days + 719_468, 146_097)
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shiftedMonth = (5 * dayOfYear + 2) / 153
        month = (shiftedMonth + 2) % 12 + 1
        year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
        day = dayOfYear - (153 * shiftedMonth + 2) / 5 + 1
    }

    /// Days since 1970-01-01; years are counted from March, so that leap days end them.
    @inlinable public var daysSince1970: Int64 {
        let shifted = month <= 2 ? year - 1 : year
        let (era, yearOfEra) = floorDivision(shifted, 400)
        let dayOfYear = (153 * ((month + 9) % 12) + 2) / 5 + day - 1
        let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
        return era * 146_097 + dayOfEra - 719_468
    }
}

/// Quotient rounded down, and the remainder, which is never negative.
@inlinable public func floorDivision(_ value: Int64, _ divisor: Int64) -> (
    quotient: Int64, remainder: Int64
) {
    let remainder = value % divisor
    return remainder < 0
        ? (value / divisor - 1, remainder + divisor) : (value / divisor, remainder)
}
