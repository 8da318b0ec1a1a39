import Synchronization

/// What a `Database` has asked of the network since it was made.
public struct Counts: Sendable, Equatable {
    /// Statements sent, without preparing and deallocating.
    public var statements: Int
    /// Times a session sent something and waited for the answer.
    public var roundTrips: Int
    /// Connections made.
    public var connects: Int

    /// Counts of a time span, as the difference of two.
    public init(statements: Int, roundTrips: Int, connects: Int) {
        self.statements = statements
        self.roundTrips = roundTrips
        self.connects = connects
    }
}

/// The counters behind `Counts`, shared by all sessions of a pool.
final class Counters: Sendable {
    let statements = Atomic<Int>(0)
    let roundTrips = Atomic<Int>(0)
    let connects = Atomic<Int>(0)

    var counts: Counts {
        Counts(
            statements: statements.load(ordering: .relaxed),
            roundTrips: roundTrips.load(ordering: .relaxed),
            connects: connects.load(ordering: .relaxed))
    }

    func sent(_ count: Int) {
        statements.add(count, ordering: .relaxed)
        roundTrips.add(1, ordering: .relaxed)
    }
}
