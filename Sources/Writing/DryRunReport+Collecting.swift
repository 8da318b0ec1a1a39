import JSON
import Postgres
import JobQueue
import Telemetry

extension DryRunReport {
    /// Adds a page, or the end of a pass that came without one, to its entity.
    mutating func add(_ commit: PageCommit, isPage: Bool = true) {
        let kind = commit.passKind?.rawValue ?? ""
        if entities.last?.name != commit.entity {
            entities.append(Entity(name: commit.entity, pass: kind))
        }
        let last = entities.count - 1
        entities[last].pass = kind
        entities[last].pages += isPage ? 1 : 0
        entities[last].goesOnAfterPage = commit.isEnd ? nil : commit.pageNumber
    }

    mutating func recordSweep(isRefused: Bool) {
        entities[entities.count - 1].isSweepRefused = isRefused
    }

    /// Adds the counters of the checkpoints, whichever there are; pages are counted here, since an end
    /// without a page is no page.
    mutating func addCounts(_ rows: Rows) throws {
        let counters = rows.columns.filter { $0 != "entity" && $0 != "pages" }
        var counts: [String: [(String, Int)]] = [:]
        for row in rows {
            counts[try row.text("entity")] = try counters.map { ($0, try row.int(.name($0))) }
        }
        for index in entities.indices {
            entities[index].counts =
                entities[index].pages > 0
                ? counts[entities[index].name] ?? [] : counters.map { ($0, 0) }
        }
    }

    /// Adds the first rows that are others after the page than before it.
    mutating func addChanges(
        _ answers: [Rows], key columns: [String], most: Int, _ redactor: Redactor
    ) throws {
        let last = entities.count - 1
        guard let before = try answers.first?.byKey(), let after = try answers.last?.byKey() else {
            return
        }
        let changed = Set(before.keys).union(after.keys).filter { before[$0] != after[$0] }.sorted()
        for key in changed.prefix(most - entities[last].changes.count) {
            entities[last].changes.append(
                Change(
                    key: columns, before: try row(before[key], redactor),
                    after: try row(after[key], redactor)))
        }
    }

    private func row(_ text: String?, _ redactor: Redactor) throws -> JSONValue {
        guard let text else { return .null }
        let value = try JSONDocument(parsing: Array(text.utf8)).root.value ?? .null
        return value.mappingTexts(redactor.sanitised)
    }
}

extension Rows {
    fileprivate func byKey() throws -> [String: String] {
        var rows: [String: String] = [:]
        for row in self { rows[try row.text("key")] = try row.text("row") }
        return rows
    }
}

extension JSONValue {
    fileprivate func mappingTexts(_ change: (String) -> String) -> JSONValue {
        switch self {
        case .string(let text): .string(change(text))
        case .array(let elements): .array(elements.map { $0.mappingTexts(change) })
        case .object(let members):
            .object(members.map { JSONMember($0.name, $0.value.mappingTexts(change)) })
        default: self
        }
    }
}
