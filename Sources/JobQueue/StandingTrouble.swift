import JSON

/// A trouble of an entity that waits for a person, apart from the failure of its last run.
public struct StandingTrouble: Sendable, Equatable {
    /// Those that passes and pushes meet; view `kinds_of_trouble` says what each means and what helps.
    public enum Kind: String, Sendable, CaseIterable {
        /// A sweep would have deleted more than the file allows.
        case sweepRefused = "sweep_refused"
        /// A full pass has shown none of the rows.
        case sweepHeld = "sweep_held"
        /// A pass has ended with a page that may not be the last.
        case endUnproven = "end_unproven"
        /// What a full pass did not show may be there all the same.
        case absenceUnproven = "absence_unproven"
        /// The zone that had been read is gone at the source.
        case zoneGone = "zone_gone"
        // Those that a push meets.
        /// The source refuses edits one by one.
        case editsRefused = "edits_refused"
        /// The user's store at the source is full.
        case quotaExceeded = "quota_exceeded"

        /// No pass has to do with it.
        public var isOfEdits: Bool { self == .editsRefused || self == .quotaExceeded }
    }

    /// What it is, in words.
    public var error: String
    /// Stands for what the job file said of the entity when it came.
    public var declaration: Int64?

    /// Describes a trouble.
    public init(error: String, declaration: Int64? = nil) {
        self.error = error
        self.declaration = declaration
    }

    /// Reads `troubles` of a checkpoint; kinds of no pass are left out.
    static func read(_ node: JSONNode?) -> [Kind: StandingTrouble] {
        var troubles: [Kind: StandingTrouble] = [:]
        guard let node else { return troubles }
        for member in node.members {
            guard let kind = member.name.string.flatMap(Kind.init(rawValue:)) else { continue }
            troubles[kind] = StandingTrouble(
                error: member.value["error"]?.string ?? "",
                declaration: member.value["declaration"]?.int.map { Int64($0) })
        }
        return troubles
    }
}
