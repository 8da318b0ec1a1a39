import JSON
import JobFiles
import Reading

/// Where in its pages an entity has its records.
struct RecordPlace: Hashable {
    /// Where the list is: up to the last `[]`.
    let path: Path
    /// The list may be an object that holds a record in each of its members.
    private let isMap: Bool

    init(_ entity: Entity) {
        let steps = entity.records.at.steps
        path = Path(steps: Array(steps[..<(steps.lastIndex(of: .each) ?? steps.endIndex)]))
        isMap = entity.records.countsMapAsList
    }

    /// The list with its records changed; a map has each of its members as an object of its own.
    func changing(_ list: JSONValue, _ change: ([JSONValue]) -> [JSONValue]) -> JSONValue {
        switch list {
        case .array(let elements): return .array(change(elements))
        case .object(let members) where isMap:
            let changed = change(members.map { .object([$0]) })
            return .object(changed.flatMap { $0.members ?? [] })
        default: return list
        }
    }
}

extension Entity {
    /// The page has what the entity reads its records from.
    func showsRecords(in document: JSONDocument) -> Bool {
        lists(in: document).contains { list in
            records.at.hasEach ? list.kind == .array || isOneRecord(list) : list.kind != .null
        }
    }

    /// Records in a page of its own.
    func recordCount(in document: JSONDocument) -> Int {
        records.at.nodes(in: asList(document).root).count
            + (records.at.hasEach ? lists(in: document).count(where: isOneRecord) : 0)
    }

    /// Its reader wants the records of a page in the order in which the source shows them.
    var needsTheOrder: Bool {
        switch page.style {
        case .keyset(.field, _), .token(.lastRecord): true
        default: false
        }
    }

    private func lists(in document: JSONDocument) -> [JSONNode] {
        RecordPlace(self).path.nodes(in: asList(document).root)
    }

    /// The page as its reader sees it; a map that can't be made a list stays one.
    private func asList(_ document: JSONDocument) -> JSONDocument {
        (try? records.withList(document)) ?? document
    }

    /// The source leaves the list out around a single record.
    private func isOneRecord(_ list: JSONNode) -> Bool {
        list.kind == .object && records.countsOneAsList
    }
}
