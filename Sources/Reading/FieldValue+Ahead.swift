public import JobFiles

// What lies ahead of the moment at which a pass began.
extension FieldValue {
    /// The value is a time behind `moment`, microseconds since 1970.
    ///
    /// A number or a text is a time only where the file says so, by the form in which its watermark is written.
    func isAhead(of moment: Int64, as format: Incremental.Format?) -> Bool {
        switch (self, format) {
        case (.timestamp(let time), _): time > moment
        case (.int(let seconds), .time(.epochSeconds)): seconds > moment / 1_000_000
        case (.int(let milliseconds), .time(.epochMilliseconds)): milliseconds > moment / 1000
        case (.text(let text), .time(.iso8601)):
            Timestamp.microseconds(text).map { $0 > moment } ?? false
        default: false
        }
    }
}

/// Whether a stored watermark or position is a time behind `moment`, microseconds since 1970; opaque positions are none.
public func liesAhead(_ position: String?, of moment: Int64, as format: Incremental.Format?) -> Bool
{
    guard let position else { return false }
    if let time = Timestamp.microseconds(position) { return time > moment }
    return Int64(position).map { FieldValue.int($0).isAhead(of: moment, as: format) } ?? false
}
