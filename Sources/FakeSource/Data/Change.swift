/// A change of a user's data, as commanded.
enum Change {
    case add(Int, at: Milliseconds?, spacing: Milliseconds, clean: Bool)
    case addAtReconcile(Int)
    case edit(Targets, name: String?, value: Int?, feedTitle: String?)
    case remove(Targets, tombstone: Bool)

    /// One item by its id, or so many not yet edited ones.
    enum Targets {
        case id(String)
        case count(Int)
    }

    /// More would let one command fill the memory.
    static let itemsMax = 1_000_000

    static let keys = [
        "op", "user", "videos", "at", "spacing_ms", "clean", "on_reconcile", "id", "count", "name",
        "value", "feed_title", "tombstone", "after_pages",
    ]

    static func parse(_ command: Command) throws(BadRequest) -> Change {
        switch try command.needed("op") {
        case "add":
            let count = try command.int("videos", in: 1...itemsMax) ?? 1
            if try command.bool("on_reconcile") ?? false { return .addAtReconcile(count) }
            return .add(
                count, at: try command.time("at"),
                spacing: Milliseconds(try command.int("spacing_ms", in: 0...86_400_000) ?? 1),
                clean: try command.bool("clean") ?? false)
        case "edit":
            let value = try command.double("value", in: 0...1e12)
            return .edit(
                try targets(command), name: try command.string("name"),
                value: value.map { Int(($0 * 100).rounded()) },
                feedTitle: try command.string("feed_title"))
        case "remove":
            return .remove(
                try targets(command), tombstone: try command.bool("tombstone") ?? false)
        default: throw BadRequest("'op' must be add, edit or remove")
        }
    }

    private static func targets(_ command: Command) throws(BadRequest) -> Targets {
        if let id = try command.string("id") { return .id(id) }
        return .count(try command.int("count", in: 1...itemsMax) ?? 1)
    }
}
