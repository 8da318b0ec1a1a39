public import JobFiles

extension Page {
    /// The position of a pass's first request; nil when none is sent.
    public func firstPosition(persisted: String?) -> String? {
        switch style {
        case .single, .token, .linkHeader: nil
        case .nextURL: resumeAt == nil ? nil : persisted
        case .offset(let start, _), .number(let start, _): String(start)
        case .keyset(_, let start): persisted ?? start
        case .syncToken: persisted
        }
    }
}
