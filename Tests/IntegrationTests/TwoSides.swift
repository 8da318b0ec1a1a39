/// What is done to a record here.
enum Ours: String, CaseIterable, Sendable {
    case nothing, edit, delete, makeAnew, rename, copy

    /// The row waits with values of its own.
    var isEdit: Bool { [.edit, .makeAnew, .rename].contains(self) }
}

/// What another device does to it; its clock is behind ours, or an hour ahead.
enum Theirs: String, CaseIterable, Sendable {
    case nothing, editEarlier, editLater, delete, makeAnew, rename, duplicate

    /// The record itself bears a later version of theirs, under whatever key.
    var isLater: Bool { [.editLater, .makeAnew, .rename].contains(self) }
}

/// When the other device does so, seen from our run.
enum Moment: String, CaseIterable, Sendable {
    /// Before it looks.
    case before
    /// Between its look and its push.
    case between
    /// After it has pushed.
    case after
}

/// What the job file says of two versions, and of a deletion that meets an edit.
struct Policy: Sendable, CustomStringConvertible {
    var isRemoteWins: Bool
    var deletionsWin: Bool

    static let all = [false, true].flatMap { remote in
        [false, true].map { Policy(isRemoteWins: remote, deletionsWin: $0) }
    }

    var description: String {
        "\(isRemoteWins ? "remote_wins" : "newest_wins"), unsent: \(deletionsWin ? "delete" : "local_edit_wins")"
    }
}

/// What both sides hold of one cell of the table in the end, and what was told.
///
/// A value is 0 as it was, 1 of ours, 2 of theirs; keys and names are those of the cell.
struct Settled: Equatable, CustomStringConvertible {
    /// By key.
    var here: [String: Int] = [:]
    /// By name: key and value.
    var there: [String: String] = [:]
    /// Whose version stayed, as events told it.
    var winners: [String] = []

    var description: String {
        "here \(here.sorted { $0.key < $1.key }), there \(there.sorted { $0.key < $1.key }), winners \(winners)"
    }
}

/// One cell: its record is `r`, its key `k`; a renamed record has `k2` there and `k3` here, a copy is `kc`, a duplicate `q`.
struct Cell: Sendable {
    let ours: Ours
    let theirs: Theirs

    static func all(_ moment: Moment) -> [Cell] {
        Ours.allCases.flatMap { ours in
            // Nobody edits with an earlier stamp what has arrived there already.
            Theirs.allCases.filter { moment != .after || $0 != .editEarlier }
                .map { Cell(ours: ours, theirs: $0) }
        }
    }

    /// The rules of docs/decisions/0058, of one cell, written down once more and not by the product's means.
    func settled(_ moment: Moment, _ policy: Policy) -> Settled {
        var settled = moment == .after ? settledAfter : settledBefore(moment, policy)
        if ours == .copy {
            settled.here["kc"] = 1
            settled.there["kc"] = "kc 1"
        }
        return settled
    }

    /// The row that is ours: key and value; nil: it is deleted.
    private var own: (key: String, value: Int)? {
        switch ours {
        case .nothing, .copy: ("k", 0)
        case .edit, .makeAnew: ("k", 1)
        case .rename: ("k3", 0)
        case .delete: nil
        }
    }

    private func agreed(_ row: (key: String, value: Int)?, _ winners: [String] = []) -> Settled {
        guard let row else { return Settled(winners: winners) }
        return Settled(
            here: [row.key: row.value], there: ["r": "\(row.key) \(row.value)"], winners: winners)
    }

    /// Ours has arrived before theirs is done, so that nothing gives way.
    private var settledAfter: Settled {
        switch theirs {
        case .nothing: agreed(own)
        case .editEarlier, .editLater, .makeAnew: agreed(("k", 2))
        case .rename: agreed(("k2", 2))
        case .delete: agreed(nil)
        case .duplicate: duplicated(own, shown: own?.key == "k3" ? own : nil)
        }
    }

    /// The record as it is there, beside a later one with its key.
    private func duplicated(
        _ there: (key: String, value: Int)?, shown: (key: String, value: Int)?,
        _ winners: [String] = []
    ) -> Settled {
        var settled = agreed(there, winners)
        settled.here = ["k": 2]
        if let shown { settled.here[shown.key] = shown.value }
        settled.there["q"] = "k 2"
        return settled
    }

    private func settledBefore(_ moment: Moment, _ policy: Policy) -> Settled {
        guard ours.isEdit || ours == .delete else { return settledAfter }
        switch theirs {
        case .nothing: return agreed(own)
        case .editEarlier:
            return policy.isRemoteWins ? agreed(("k", 2), ["theirs"]) : agreed(own, ["ours"])
        case .editLater, .makeAnew: return agreed(("k", 2), ["theirs"])
        case .rename: return agreed(("k2", 2), ["theirs"])
        case .delete where ours == .delete: return agreed(nil)
        case .delete:
            return policy.deletionsWin ? agreed(nil, ["theirs"]) : agreed(own, ["ours"])
        case .duplicate where moment == .between || ours == .rename:
            return duplicated(own, shown: ours == .rename ? own : nil)
        case .duplicate:
            // The row was the record's, and is the duplicate's now; the record itself stays as it was.
            return duplicated(("k", 0), shown: nil, ["theirs"])
        }
    }
}
