/// The job files of one directory or list, checked against each other, with the places of what they
/// say.
public struct JobFileSet: Sendable {
    /// What the files declare, in their order.
    public let jobs: [JobFile]
    let files: [ReadFile]

    /// What is no mistake, and may still be meant otherwise; one line each.
    public var warnings: [Mistake] {
        zip(jobs, files).flatMap {
            orderWarnings($0, $1) + endWarnings($0, $1) + hostWarnings($0, $1)
        }
    }

    init(_ files: [ReadFile]) {
        self.files = files
        jobs = files.compactMap { try? $0.result.get() }
    }

    /// What `new` takes away from, or changes in, the synced stores of `old`.
    ///
    /// A synced store's table, its entity, its key, its columns and their types must stay; adding
    /// to it is fine. Pure: only compares what the two sets declare. The mistakes are in the order of
    /// the old set and stand in the files of the new one, where it has such a file.
    public static func additions(from old: JobFileSet, to new: JobFileSet) -> [Mistake] {
        zip(old.jobs, old.files).flatMap { job, file in
            job.stores.filter { $0.kind == .synced }.flatMap { store in
                let comparison = StoreComparison(store: store, old: job, oldFile: file)
                return zip(new.jobs, new.files).first { $0.0.name == job.name }
                    .map { comparison.mistakes(in: $0.0, $0.1) } ?? [comparison.gone]
            }
        }
    }
}

/// One synced store of one job, against what a new file says of it.
private struct StoreComparison {
    let store: Store
    let old: JobFile
    let oldFile: ReadFile

    private var table: String { store.table }

    /// The job is in none of the new files, so the old one is all there is to point at.
    var gone: Mistake {
        oldFile.mistake(
            at: oldFile.root?["stores"]?[table],
            "job \"\(old.name)\" with the synced store \"\(table)\" is gone; "
                + "keep it, with enabled: false if it must not run")
    }

    func mistakes(in new: JobFile, _ file: ReadFile) -> [Mistake] {
        var mistakes: [Mistake] = []
        if !new.stores.contains(store) {
            mistakes.append(
                file.mistake(
                    at: file.root?["stores"]?[table] ?? file.root?["stores"] ?? file.root,
                    "\"\(table)\" was a synced store and must stay one"))
        }
        for entity in old.entities where entity.write.table == table {
            guard let after = new.entities.first(where: { $0.name == entity.name }) else {
                mistakes.append(
                    file.mistake(
                        at: file.root?["entities"],
                        "entity \"\(entity.name)\" of the synced store \"\(table)\" is gone; "
                            + "keep it, with enabled: false if it must not run"))
                continue
            }
            mistakes += self.mistakes(from: entity, to: after, in: file)
        }
        return mistakes
    }

    private func mistakes(
        from before: Entity, to after: Entity, in file: ReadFile
    ) -> [Mistake] {
        let node = file.root?.entity(named: after.name)
        let records = node?["records"] ?? node
        guard after.write.table == table else {
            return [
                file.mistake(
                    at: node?["write"]?["table"] ?? node,
                    "entity \"\(after.name)\" wrote the synced store \"\(table)\" and must go on "
                        + "doing so")
            ]
        }
        var mistakes: [Mistake] = []
        if Set(before.records.key) != Set(after.records.key) {
            mistakes.append(
                file.mistake(
                    at: records?["key"] ?? records,
                    "the key of the synced store \"\(table)\" was "
                        + "\(before.records.key.joined(separator: ", ")) and must stay that"))
        }
        if after.write.mode == .replaceAll {
            mistakes.append(
                file.mistake(
                    at: node?["write"]?["mode"] ?? node,
                    "replace_all deletes rows of the synced store \"\(table)\""))
        }
        for field in before.records.fields {
            guard let same = after.records.field(named: field.name) else {
                mistakes.append(
                    file.mistake(
                        at: records?["fields"] ?? records,
                        "column \"\(field.name)\" of the synced store \"\(table)\" is gone; only "
                            + "additions are allowed"))
                continue
            }
            guard same.kind != field.kind else { continue }
            mistakes.append(
                file.mistake(
                    at: records?["fields"]?[field.name]?["type"] ?? records,
                    "column \"\(field.name)\" of the synced store \"\(table)\" was "
                        + "\(field.kind.rawValue) and must stay that, not \(same.kind.rawValue)"))
        }
        return mistakes
    }
}
