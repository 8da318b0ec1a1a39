import Synchronization

/// Counts the bytes of all bodies that a client's callers still hold.
final class HeldBytes: Sendable {
    private let bytes = Atomic<Int>(0)

    var count: Int { bytes.load(ordering: .relaxed) }

    fileprivate func add(_ count: Int) { bytes.add(count, ordering: .relaxed) }
}

/// Counts a body among the bytes that its client holds, for as long as the hold is kept.
///
/// Whoever makes something as large out of a body keeps the body's hold as long as that.
public final class BodyHold: Sendable, Equatable {
    private let total: HeldBytes
    private let bytes = Atomic<Int>(0)

    init(_ total: HeldBytes) { self.total = total }

    deinit { total.add(-bytes.load(ordering: .relaxed)) }

    func add(_ count: Int) {
        bytes.add(count, ordering: .relaxed)
        total.add(count)
    }

    /// A response is the same however long it is kept.
    public static func == (left: BodyHold, right: BodyHold) -> Bool { true }
}
