import Asking
import JSON
import JobFiles
import JobQueue
import Postgres

/// Finds the items that an entity is read for.
struct Items {
    private let context: RunContext

    init(_ context: RunContext) { self.context = context }

    /// Each item once; of two sources each pair.
    ///
    /// Throws `RunEnd` failed where a source of items is not there, or there are more than the file allows.
    func all(of rule: ForEach, _ entity: Entity) async throws -> [Item] {
        var items = [try await items(of: rule.sources[0], entity)]
        for source in rule.sources.dropFirst() {
            items.append(try await self.items(of: source, entity))
        }
        guard items.count == 2 else { return items[0] }
        let pairs = items[0].count * items[1].count
        guard pairs <= ForEach.most else { throw tooMany(pairs, most: ForEach.most) }
        return items[0].flatMap { first in items[1].map { first.paired(with: $0) } }
    }

    private func items(of source: ItemSource, _ entity: Entity) async throws -> [Item] {
        let single = try await singles(of: source)
        var items: [Item] = []
        if let size = source.chunk {
            let texts = single.map { $0.texts[0] }
            items = stride(from: 0, to: texts.count, by: size).map {
                Item(chunk: Array(texts[$0..<min($0 + size, texts.count)]))
            }
        } else {
            var known: Set<String> = []
            items = single.filter { known.insert($0.checkpointName(of: entity)).inserted }
        }
        guard items.count <= source.atMost else { throw tooMany(items.count, most: source.atMost) }
        return items
    }

    private func tooMany(_ count: Int, most: Int) -> RunEnd {
        .failed(
            .malformed,
            "for_each: there are \(count) items or more, and at_most is \(most); nothing was asked for"
        )
    }

    /// What the source has, before it is put together.
    private func singles(of source: ItemSource) async throws -> [Item] {
        let name = source.names.first ?? ""
        switch source.origin {
        case .values(let values): return values.map { Item(name, .string($0)) }
        case .rows(let rows): return try await stored(rows, source)
        case .list(let list): return try await listed(list).map { Item(name, .string($0)) }
        case .attribute(let attribute):
            guard let value = context.inputs.job.attributes[attribute], value != .null else {
                throw RunEnd.failed(.missing, "for_each: there is no value for {user.\(attribute)}")
            }
            return try scalars(in: [value], of: "user attribute '\(attribute)'").map {
                Item(name, $0)
            }
        case .call(let call):
            guard let answer = context.session.values.answers[call.name] else {
                throw RunEnd.failed(.missing, "for_each: there is no answer of call \(call.name)")
            }
            return try scalars(
                in: found(by: call, in: answer.root), of: "the answer of call \(call.name)"
            ).map {
                Item(name, $0)
            }
        }
    }

    /// Throws `RunEnd` malformed where the answer has no list there, or nothing in the place of each element: taken for an
    /// empty list, it would have the rows of all items go.
    private func found(by call: ItemCall, in root: JSONNode) throws -> [JSONValue] {
        let steps = call.at.steps
        let values = call.at.nodes(in: root).compactMap(\.value)
        let list = Path(steps: Array(steps.prefix { $0 != .each })).first(in: root)
        let isThere =
            switch steps.count(where: { $0 == .each }) {
            case 0: list != nil
            case 1: list?.kind == .array && (!values.isEmpty || list?.count == 0)
            default: list?.kind == .array
            }
        guard isThere else {
            throw RunEnd.failed(
                .malformed, "for_each: the answer of call \(call.name) has nothing at \(call.at)")
        }
        return values
    }

    private func listed(_ name: String) async throws -> [String] {
        guard let list = context.inputs.file.list(named: name) else { return [] }
        return try await context.ask {
            try await $0.listItems(
                user: context.inputs.job.claim.userID,
                in: ListColumn(table: list.table, column: list.column)
            ).items
        }
    }

    private func stored(_ rows: ItemRows, _ source: ItemSource) async throws -> [Item] {
        guard let parent = context.inputs.file.entities.first(where: { $0.name == rows.entity })
        else { return [] }
        let kinds = rows.columns.map { parent.records.field(named: $0)?.kind ?? .text }
        let most = source.chunk.map { $0 * source.atMost } ?? source.atMost
        let found = try await context.ask {
            try await $0.storedItems(
                of: context.inputs.job.claim,
                StoredRows(
                    table: parent.write.table, identity: parent.identity,
                    swept: context.progress.swept.filter {
                        Entity.declaredName(of: $0) == parent.name
                    }.sorted()),
                rows.columns,
                stamped: rows.onlyChanged ? parent.records.fields.map(\.name) : [], most: most + 1)
        }
        return found.map { item in
            let values = zip(zip(rows.columns, kinds), item.texts).map { column, text in
                (name: column.0, value: JSONValue(stored: text, as: column.1))
            }
            return Item(values, stamp: item.stamp, isLacking: item.isLacking)
        }
    }

    /// A list of values, or one.
    private func scalars(in values: [JSONValue], of origin: String) throws -> [JSONValue] {
        let single = values.flatMap { value -> [JSONValue] in
            if case .array(let elements) = value { elements } else { [value] }
        }
        return try single.filter { $0 != .null }.map { value in
            switch value {
            case .string, .number, .bool: return value
            default:
                throw RunEnd.failed(
                    .malformed,
                    "for_each: \(origin) holds a list or a mapping, expected texts or numbers")
            }
        }
    }
}

extension JSONValue {
    /// A stored value, of the text that the database makes of it.
    fileprivate init(stored text: String, as kind: Field.Kind) {
        self =
            switch kind {
            case .int, .decimal, .double: .number(text)
            case .bool: .bool(text == "true" || text == "t")
            default: .string(text)
            }
    }
}
