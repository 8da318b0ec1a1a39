/// What a job should hold, in the order it is tried.
public enum Guarantee: String, Sendable, CaseIterable {
    case counters
    case unchangedWritesNothing = "unchanged_writes_nothing"
    case resumes
    case watermarkWaits = "watermark_waits"
    case orderIndependence = "order_independence"
    case emptyPageGoesOn = "empty_page_goes_on"
    case repeatedPositionFails = "repeated_position_fails"

    /// In words for people.
    public var words: String {
        switch self {
        case .counters: "the counters add up to the records that came"
        case .unchangedWritesNothing: "a second run on unchanged data writes no row version"
        case .resumes:
            "a run that was cut off goes on with the same rows, and reads one page twice at most"
        case .watermarkWaits: "watermark and sync token stay while a pass is unfinished"
        case .orderIndependence: "the order of a page's records does not matter"
        case .emptyPageGoesOn: "an empty page does not end a pass"
        case .repeatedPositionFails: "a repeated position is an error, and what came before stays"
        }
    }
}
