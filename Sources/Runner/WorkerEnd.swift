/// How a worker came to its end.
public enum WorkerEnd: Sendable, Equatable {
    /// It was told to stop, or with `drains` found nothing left to do.
    case done
    /// With `drains`: the database was away or refused for longer than it is waited for.
    case databaseLost(error: String, lasting: Duration)
}
