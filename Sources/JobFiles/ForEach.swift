/// What an entity is read for: one pass for each item, or for each pair of two sources' items, with a checkpoint of its own.
public struct ForEach: Sendable, Equatable {
    /// Where the items come from; two make a pass for each pair.
    public var sources: [ItemSource]

    /// What `{each.x}` may name.
    public var names: [String] { sources.flatMap(\.names) }

    /// How many items one pass is for; nil means one.
    public var chunk: Int? { sources.compactMap(\.chunk).first }

    /// The stored rows among its sources.
    public var rows: [ItemRows] {
        sources.compactMap { if case .rows(let rows) = $0.origin { rows } else { nil } }
    }

    /// What is no item any more is gone: the file says so, or rows that had their own two looks.
    ///
    /// A list, an attribute or an answer may be wrong once.
    public var provesAbsence: Bool {
        sources.allSatisfy { source in
            switch source.origin {
            case .rows, .values: true
            case .list, .attribute, .call: false
            }
        }
    }

    /// After so long an item is asked for whose row is as it was; nil means that every round asks for it.
    public var asksUnchangedAfter: Duration? { rows.filter(\.onlyChanged).map(\.fullEvery).min() }
}

/// Where the items of a `for_each` come from.
public struct ItemSource: Sendable, Equatable {
    /// What has the items.
    public enum Origin: Sendable, Equatable {
        /// A list of the file.
        case list(String)
        /// Stored rows of an entity that stands before.
        case rows(ItemRows)
        /// The file itself.
        case values([String])
        /// A list among the user's attributes.
        case attribute(String)
        /// The answer of a call.
        case call(ItemCall)
    }
    /// What has the items.
    public var origin: Origin
    /// What `{each.x}` calls an item; nil means as its origin is called.
    public var name: String?
    /// How many items one pass is for, as `{chunk}`; nil means that each has a pass of its own, as `{each.x}`.
    public var chunk: Int?
    /// Passes at most; with more the entity fails before it asks for any.
    public var atMost = ForEach.usualMost

    /// What `{each.x}` may name.
    public var names: [String] {
        if chunk != nil { return [] }
        return switch origin {
        case .rows(let rows): rows.columns
        case .list(let own), .attribute(let own): [name ?? own]
        case .call(let call): [name ?? call.name]
        case .values: [name ?? ""]
        }
    }
}

/// Stored rows whose columns are items.
public struct ItemRows: Sendable, Equatable {
    /// The entity whose rows they are.
    public var entity: String
    /// The columns of an item.
    public var columns: [String] = []
    /// An item whose row is as it was has nothing new, until `fullEvery` has passed.
    public var onlyChanged = false
    /// After so long an item is read whatever its row says.
    public var fullEvery = Duration.seconds(86_400)
}

/// The values at a place of a call's answer.
public struct ItemCall: Sendable, Equatable {
    /// The call, which runs before.
    public var name: String
    /// Where its answer has the values.
    public var at = Path(steps: [])
}

extension ForEach {
    static let usualMost = 1_000
    /// Three bytes for each when it is escaped, and the entity's name, make a checkpoint's name of 1,000 at most.
    static let valueBytesMax = 300
    /// Passes of one entity in one round, whatever a file says.
    public static let most = 10_000
}

extension Entity {
    /// The name in the file, also of one item's part.
    public var declaredName: String { Self.declaredName(of: name) }

    /// The name in the file of the entity that a checkpoint belongs to.
    public static func declaredName(of checkpoint: String) -> String {
        String(checkpoint.prefix { $0 != "#" })
    }
}
