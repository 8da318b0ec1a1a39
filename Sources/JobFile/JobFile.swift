/// One job file, checked and compiled: everything a run needs to know, and nothing about a user.
public struct JobFile: Sendable, Equatable {
    /// Unique name of the job, such as `metube.refresh`.
    public var name: String
    /// What people call this sort of job: `refresh`, `status` or another word.
    public var kind: String
    /// Free text for people.
    public var note: String?
    /// When the job is due and how long a run may take.
    public var schedule: Schedule
    /// The external system.
    public var source: Source
    /// The named local id lists, in file order.
    public var lists: [ListTable]
    /// The named requests, in file order.
    public var calls: [Call]
    /// The steps before the entities, in file order.
    public var before: [BeforeStep]
    /// What the job syncs; file order is run order (ST1).
    public var entities: [Entity]

    /// The call of that name; nil without one.
    public func call(named name: String) -> Call? { calls.first { $0.name == name } }

    /// The list of that name; nil without one.
    public func list(named name: String) -> ListTable? { lists.first { $0.name == name } }
}

/// When a job is due and how long one run of it may take.
public struct Schedule: Sendable, Equatable {
    /// How the users of a job are distributed over its period.
    public enum Spread: String, Sendable, CaseIterable { case user, none }
    /// The period: 1 second to 30 days.
    public var every: Duration
    /// `user`: a fixed phase per user within the period; `none`: every user on the period's edge.
    public var spread: Spread
    /// Monotonic limit of one run, everything included.
    public var deadline: Duration
    /// What must exist before the run asks for anything; else the run is skipped or `needs_reauth`.
    public var requires: [Requirement]
}

/// Something a user must have for a run to make sense.
public enum Requirement: Sendable, Equatable {
    /// Missing: outcome `needs_reauth`.
    case secret(String)
    /// Missing attribute: outcome `skipped`.
    case user(String)
}

/// A local list of ids per user: `synced.<table>(user_id, <column>)`.
public struct ListTable: Sendable, Equatable {
    /// The word in `{list.name}`.
    public var name: String
    /// Table in the schema `synced`.
    public var table: String
    /// The text column that holds the ids.
    public var column: String
}
