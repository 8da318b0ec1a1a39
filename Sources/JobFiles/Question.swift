/// What a file asks for an entity: everything of it that decides which records the answers hold and which of them are
/// kept.
///
/// A position is worth something only to who asks the same (docs/decisions/0047). Secrets are left out, since a new
/// token asks for the same; so are the columns, which a full pass fills without beginning anew.
public struct Question: Sendable, Equatable {
    /// Stands for the file's words.
    ///
    /// A new key of the grammar must be left out of them where it has its default: a hash that changes with a version of
    /// the program has everybody's data read anew.
    public var hash: UInt64 = 0
    /// Stands for the list alone that is asked for, whatever this entity reads of it, and how it goes through it.
    public var list: UInt64 = 0
    /// The user's attributes that stand in them, sorted.
    public var attributes: [String] = []
    /// The lists whose items stand in them, sorted.
    public var lists: [String] = []
}
