public import Postgres

/// What a verb refused, from its SQLSTATE of class JR.
public enum QueueError: Error, Sendable, Equatable, CustomStringConvertible {
    /// JR001: the claim is not held any more; nothing of the run may be written.
    case lost
    /// JR002: the page does not follow its entity's checkpoint.
    case superseded
    /// JR003: the worker was given up, or drains.
    case workerEnded
    /// JR019: the tenant does not seal with that key, or has none yet.
    case keyRetired(message: String, hint: String?)
    /// JR010–JR018: no tenant, user, job, entity, source, table, column or login of that name, the name
    /// is taken, or a value is out of its bounds.
    case refused(message: String, hint: String?)

    /// Nil when the error is not of class JR.
    public init?(_ error: DatabaseError) {
        switch error.sqlstate {
        case "JR001": self = .lost
        case "JR002": self = .superseded
        case "JR003": self = .workerEnded
        case "JR019": self = .keyRetired(message: error.message, hint: error.hint)
        case .some(let state) where state.hasPrefix("JR"):
            self = .refused(message: error.message, hint: error.hint)
        default: return nil
        }
    }

    /// One line for people.
    public var description: String {
        switch self {
        case .lost: "the run is lost: its claim was taken away"
        case .superseded: "the page does not follow its checkpoint"
        case .workerEnded: "the worker was given up or drains"
        case .refused(let message, let hint), .keyRetired(let message, let hint):
            hint.map { "\(message). \($0)" } ?? message
        }
    }
}
