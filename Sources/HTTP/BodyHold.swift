import Synchronization

/// The bytes of all bodies that a client's callers have not let go of.
final class BodyRoom: Sendable {
    private let held = Atomic<Int>(0)

    var heldBytes: Int { held.load(ordering: .relaxed) }

    fileprivate func add(_ bytes: Int) { held.add(bytes, ordering: .relaxed) }
}

/// Has a body's bytes counted among those its client holds, until it is let go.
///
/// Whoever makes something as large of a body keeps its hold as long as that.
public final class BodyHold: Sendable, Equatable {
    private let room: BodyRoom
    private let bytes = Atomic<Int>(0)

    init(_ room: BodyRoom) { self.room = room }

    deinit { room.add(-bytes.load(ordering: .relaxed)) }

    func add(_ count: Int) {
        bytes.add(count, ordering: .relaxed)
        room.add(count)
    }

    /// A response is the same however long it is kept.
    public static func == (left: BodyHold, right: BodyHold) -> Bool { true }
}
