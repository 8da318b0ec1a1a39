/// What parts of a file may refer to; nil where it can't be known.
struct FileScope {
    var lists: [String]?
    var calls: [String]?
    /// Calls of the steps before the entities, in order.
    var before: [String]?
    /// Calls that have run when what is read is done.
    var ranBefore: [String]?
    /// Tables of lists and entities.
    var tables: [String]?
    /// The job is of a tenant, so nothing of a user has a value.
    var isTenant = false
    /// The source has a preset, so entities may have its operations.
    var isCloudKit = false
    /// The preset's database; nil without one or where it is malformed.
    var address: CloudKitAddress?
    /// What is merged into every entity; nil when there is nothing.
    var defaults: Node?
    /// The entity that is read; nil outside of the entities.
    var entity: EntityScope?
    /// The entities that were read.
    var entities: [Entity] = []

    /// What is read is of the preset: the source, or an entity that has its operation.
    var isPreset: Bool { entity.map(\.isOfPreset) ?? isCloudKit }
}

/// A placeholder and where it stands.
struct PlaceholderUse {
    /// Nil when a text that could not be read, so nobody knows what it would have held.
    var placeholder: Placeholder?
    var node: Node
}

/// What the parts of an entity learn of each other while it is read.
struct EntityScope {
    let node: Node
    /// Its request is made of a preset's operation.
    let isOfPreset: Bool
    /// Nil without one, and where it could not be read.
    var operation: CloudKitOperation?
    /// The placeholders of its request; nil where they can't be known or are the preset's.
    var uses: [PlaceholderUse]?
    /// Several pages hold its records.
    var isPaged = false
    /// Nil until its records are read.
    var columns: Columns?

    /// Nothing about it depends on an operation that could not be read.
    var isKnown: Bool { !isOfPreset || operation != nil }
}

/// The columns of an entity, for the parts that name them.
struct Columns {
    /// Also of those that are malformed, so that nobody calls them unknown.
    var names: [String]
    /// Those that could be read.
    var fields: [Field]
    /// The names of the key.
    var key: [String] = []

    func field(named name: String) -> Field? { fields.first { $0.name == name } }
}
