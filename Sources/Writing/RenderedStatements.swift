public import JobFiles
import JobQueue
import Postgres

/// One statement that is made from a job file, with its binds as `$1`, `$2`, ….
public struct RenderedStatement: Sendable, Equatable {
    /// What it does, as a sentence without its end.
    public let purpose: String
    /// Its text.
    public let text: String
}

extension RenderedStatement {
    /// Every statement that runs send for an entity beside calls of the schema's own functions, for people who
    /// want to read them.
    ///
    /// These are the very texts that runs use.
    public static func all(of entity: Entity) -> [RenderedStatement] {
        let upsert = UpsertStatement(entity).rendered
        let push = entity.push.map { PushStatements(entity, $0).rendered } ?? []
        return (upsert + push).map { RenderedStatement(purpose: $0, text: $1) }
    }
}

extension UpsertStatement {
    fileprivate var rendered: [(String, String)] {
        [
            ("writes a page and moves its checkpoint", sql),
            ("the same, and notes what a full pass shows, for its sweep", markingSQL),
            ("writes a page whose records are probably all new", blindSQL),
            ("asks whether a page would change anything", changesAnythingSQL),
        ].reduce(into: []) { known, next in
            if !known.contains(where: { $0.1 == next.1 }) { known.append(next) }
        }
    }
}

extension PushStatements {
    fileprivate var rendered: [(String, String)] {
        // The texts are the same whoever holds the claim.
        let claim = Claim(userID: 0, name: "", fence: 0, nonce: [])
        return [
            (
                "takes unsent rows, and notes what is sent of each",
                take(after: nil, limit: 0, userID: 0).sql
            ), ("finds versions that are earlier ones of our own", ownEarlier([], 0).sql),
            ("notes rows that the source has taken", saved([], 0, taking: ownColumns).sql),
            ("deletes rows whose record is gone", removed([], .editsGiveWay, claim).sql),
            ("sends rows anew whose record is gone", removed([], .editsStay, claim).sql),
            ("lets rows give way to the source's version", replaced([], claim).sql),
            ("notes why the source refused rows", refused([], 0).sql),
        ]
    }
}
