public import Basics

/// One job file, checked and compiled: everything a run needs to know, and nothing about a user.
public struct JobFile: Sendable, Equatable {
    /// Unique name of the job, such as `metube.refresh`.
    public var name: String
    /// Whose job it is: each user's, or one of the whole tenant for data that all its users share.
    public var scope: Scope
    /// When the job is due and how long a run may take.
    public var schedule: Schedule
    /// How old stored rows may be before they are read again; nil when only the schedule decides.
    public var freshness: Freshness?
    /// The attributes of the user that it declares, in file order.
    public var inputs: [Input] = []
    /// The external system.
    @Boxed public var source: Source
    /// The named local id lists, in file order.
    public var lists: [ListTable]
    /// The named requests, in file order.
    public var calls: [Call]
    /// The steps before the entities, in file order.
    public var before: [BeforeStep]
    /// What the job syncs; file order is run order.
    public var entities: [Entity]
    /// The steps after the entities, in file order.
    public var after: [AfterStep]
    /// What kind of data its tables hold, for those that say so.
    public var stores: [Store]
    /// Rows that should be one, for which `doctor` and a starting worker look.
    public var health: [HealthCheck]
    /// What readers are told of its runs, as rows and by `NOTIFY jobrunner_event`.
    public var events: [ToldEvent]
    /// Readers are told of every run that changed something, by `NOTIFY jobrunner_changed`.
    public var notifiesOnChange: Bool
    /// The secrets that its requests hold, its runs require or its records bring; made when it is read.
    public internal(set) var secretUse = SecretUse()

    /// What readers may be told of a run.
    ///
    /// Its beginning and its end, rows that are one, which version of a record stays, a zone that was made anew,
    /// and that a job began to fail or to want a credential and that it ended.
    public enum ToldEvent: String, Sendable, CaseIterable {
        case sync, duplicates, conflicts, zones, trouble
    }

    /// Whose a job is.
    public enum Scope: String, Sendable, CaseIterable { case user, tenant }

    /// The call of that name; nil without one.
    public func call(named name: String) -> Call? { calls.first { $0.name == name } }

    /// Records of its source bring secrets of the user.
    public var bringsSecrets: Bool { entities.contains { !$0.records.secrets.isEmpty } }

    /// The list of that name; nil without one.
    public func list(named name: String) -> ListTable? {
        lists.first { $0.name == name }
    }
}

/// When a job is due and how long one run of it may take.
public struct Schedule: Sendable, Equatable {
    /// How the users of a job are distributed over its period.
    public enum Spread: String, Sendable, CaseIterable { case user, none }
    /// The period: 1 second to 30 days.
    public var every: Duration
    /// `user`: a fixed phase per user within the period; `none`: every user on the period's edge; nil when the period
    /// begins with each success.
    public var spread: Spread?
    /// Monotonic limit of one run, everything included.
    public var deadline: Duration
    /// What must exist before the run asks for anything; else the run is skipped or `needs_reauth`.
    public var requires: [Requirement]
    /// Events that make the job due.
    public var triggers: [Trigger]
    /// When a job that nobody asks for slows down; nil means never.
    public var slowing: Slowing? = nil
}

/// An event of the user's world that makes a job due.
public struct Trigger: Sendable, Equatable {
    /// The word of `jobrunner trigger EVENT`.
    public var event: String
    /// The run waits so long for the event to last; another one begins the wait anew.
    public var debounce: Duration
    /// The longest wait, from the first event on; nil when events that go on coming put the run off for ever.
    public var atMost: Duration? = nil
    /// The event that undoes this one; with it only the change from undone to done counts.
    public var cancelOn: String?
}

/// How old stored rows may be.
public struct Freshness: Sendable, Equatable {
    /// Younger: nothing is asked of the source.
    public var soft: Duration
    /// As old as this or older, or no rows: a reader waits for the refresh.
    public var hard: Duration
}

/// What kind of data a table holds.
public struct Store: Sendable, Equatable {
    /// Whether its rows can be fetched again at no loss.
    public enum Kind: String, Sendable, CaseIterable { case synced, disposable }
    /// Table in the schema `synced`.
    public var table: String
    /// `synced`: only ever added to; `disposable`: dropped, made and fetched again on a misfit.
    public var kind: Kind
}

/// A step after the entities.
public struct AfterStep: Sendable, Equatable {
    /// What is done.
    public enum Action: Sendable, Equatable {
        case call(String)
        /// Deletes the user's rows whose `by` lies further back than `olderThan`.
        case cleanup(table: String, by: String, olderThan: Duration)
        /// Keeps lists in a record of the user, once they have changed.
        case storeLists(StoredLists)
        /// Raises a number in the records of a list's items, once the list has changed.
        case raiseCounts(RaisedCounts)
    }
    /// When it is done.
    public enum OnlyIf: String, Sendable, CaseIterable { case complete, changed }
    /// What is done.
    public var action: Action
    /// `complete`: every entity was read to its end; `changed`: and something was written.
    public var onlyIf: OnlyIf
}

/// A job for which nobody has asked in a long time becomes due less often, until somebody does.
public struct Slowing: Sendable, Equatable {
    /// Since somebody last asked for it: an hour to 366 days.
    public var after: Duration
    /// Its period then, longer than its own: to 366 days.
    public var every: Duration
}

/// Rows that should be one: those of a user that agree in some columns.
public struct HealthCheck: Sendable, Equatable {
    /// Table in the schema `synced`.
    public var table: String
    /// The columns that ought to be unique together.
    public var by: [String]
}

/// Something a user must have for a run to make sense.
public enum Requirement: Sendable, Equatable {
    /// Missing: outcome `needs_reauth`.
    case secret(String)
    /// Missing attribute: outcome `skipped`.
    case user(String)
    /// Missing attribute: the run makes it, a random UUID.
    case made(String)
}

/// A local list of ids per user: `synced.<table>(user_id, <column>)`.
public struct ListTable: Sendable, Equatable {
    /// The word in `{list.name}`.
    public var name: String
    /// Table in the schema `synced`.
    public var table: String
    /// The text column that holds the ids.
    public var column: String
    /// What else the application knows of an item, by name.
    public var columns: [ListField] = []
    /// A change of the list makes the job due after this span; nil when it waits for the schedule.
    public var debounce: Duration? = nil
}

/// A column of a list that is no id.
public struct ListField: Sendable, Equatable {
    /// Its name.
    public var name: String
    /// The type of its values.
    public var kind: Field.Kind
}
