/// What the files of one set say against each other; the later file is the one that is wrong.
func conflicts(between files: [ReadFile]) -> [Mistake] {
    let good = files.compactMap { file in
        (try? file.result.get()).map { (file: file, job: $0) }
    }
    var mistakes: [Mistake] = []
    var jobs: [String: String] = [:]
    var sources: [String: (file: String, source: Source)] = [:]
    var columns: [String: (file: String, kind: Field.Kind)] = [:]
    var keys: [String: (file: String, key: Set<String>)] = [:]
    for (file, job) in good {
        if let other = jobs[job.name] {
            mistakes.append(
                file.mistake(
                    at: file.root?["job"], "job \"\(job.name)\" is defined by \(other) too"))
        }
        jobs[job.name] = jobs[job.name] ?? file.file
        let source = file.root?["source"]
        if let other = sources[job.source.id], let part = difference(job.source, other.source) {
            let message = "source \"\(job.source.id)\" has another \(part) in \(other.file)"
            mistakes.append(file.mistake(at: source?[part] ?? source?["id"], message))
        }
        sources[job.source.id] = sources[job.source.id] ?? (file.file, job.source)
        for (table, shape, node) in describedTables(of: job, in: file) {
            if let other = keys[table], other.file != file.file, other.key != shape.key {
                let message = "table \"\(table)\" has another key in \(other.file)"
                mistakes.append(file.mistake(at: node, message))
            }
            keys[table] = keys[table] ?? (file.file, shape.key)
            for (column, kind) in shape.columns.sorted(by: { $0.key < $1.key }) {
                let name = "\(table).\(column)"
                if let other = columns[name], other.file != file.file, other.kind != kind {
                    let message =
                        "column \"\(name)\" is \(kind.rawValue) here, "
                        + "but \(other.kind.rawValue) in \(other.file)"
                    mistakes.append(file.mistake(at: node, message))
                }
                columns[name] = columns[name] ?? (file.file, kind)
            }
        }
    }
    return mistakes + sharedSweeps(in: good) + sharedPushes(in: good) + undoneCleanups(in: good)
        + shownSecrets(in: good)
}

/// Tables from which one file deletes what is old, while an entity of another file brings it back.
private func undoneCleanups(in good: [(file: ReadFile, job: JobFile)]) -> [Mistake] {
    var mistakes: [Mistake] = []
    for cleaner in good {
        for case .cleanup(let table, let by, let span) in cleaner.job.after.map(\.action) {
            for (file, job) in good where job.name != cleaner.job.name {
                for entity in job.entities where entity.write.table == table {
                    let isKeptOut = entity.records.keepIf.contains { rule in
                        rule.field == by && rule.span.map { $0 <= span } ?? false
                    }
                    guard !isKeptOut else { continue }
                    let node = file.root?.entity(named: entity.name)
                    let age = span.jobFileText
                    mistakes.append(
                        file.mistake(
                            at: node?["records"]?["keep_if"] ?? node?["records"] ?? node,
                            "table \"\(table)\": \(cleaner.file.file) deletes rows whose \(by) is older than \(age), and this "
                                + "entity brings them back; expected keep_if: [{ field: \(by), younger_than: \(age) }]"
                        ))
                }
            }
        }
    }
    return mistakes
}

/// Tables whose edits one entity sends, while another one fills them too, which knows of no edit and would overwrite it.
private func sharedPushes(in good: [(file: ReadFile, job: JobFile)]) -> [Mistake] {
    var mistakes: [Mistake] = []
    var writers: [String: [(name: String, file: String, sends: Bool)]] = [:]
    for (file, job) in good {
        guard case .sequence(let nodes)? = file.root?["entities"]?.content else { continue }
        for (entity, node) in zip(job.entities, nodes) {
            let table = entity.write.table
            let sends = entity.push != nil
            let others = writers[table, default: []]
            if let other = others.first(where: { $0.sends || sends }) {
                let sender = sends ? "this entity" : "entity \"\(other.name)\""
                mistakes.append(
                    file.mistake(
                        at: node["write"]?["table"] ?? node,
                        "table \"\(table)\" is filled by entity \"\(other.name)\" of \(other.file) too, and "
                            + "\(sender) sends its edits: give each a table of its own"))
            }
            writers[table] = others + [(entity.name, file.file, sends)]
        }
    }
    return mistakes
}

/// Tables of which one entity deletes what its passes do not show, while another fills them with what is on another list.
///
/// Of one list two jobs may read: what is no longer there, both of them lack.
private func sharedSweeps(in good: [(file: ReadFile, job: JobFile)]) -> [Mistake] {
    var mistakes: [Mistake] = []
    var writers: [String: [(name: String, file: String, sweeps: Bool, list: ListOfSource)]] = [:]
    for (file, job) in good {
        guard case .sequence(let nodes)? = file.root?["entities"]?.content else { continue }
        for (entity, node) in zip(job.entities, nodes) {
            let table = entity.write.table
            let list = ListOfSource(source: job.source.id, list: entity.question.list)
            let others = writers[table, default: []]
            if let other = others.first(where: { ($0.sweeps || entity.sweeps) && $0.list != list })
            {
                let sweeper = entity.sweeps ? "this entity" : "entity \"\(other.name)\""
                mistakes.append(
                    file.mistake(
                        at: node["write"]?["table"] ?? node,
                        "table \"\(table)\" is filled by entity \"\(other.name)\" of \(other.file) too, and "
                            + "\(sweeper) deletes what its passes do not show: give each a table of its own"
                    ))
            }
            writers[table] = others + [(entity.name, file.file, entity.sweeps, list)]
        }
    }
    return mistakes
}

/// A list, as a source is asked for it.
private struct ListOfSource: Equatable {
    var source: String
    var list: UInt64
}

/// The first key in which two descriptions of one source differ; nil when they agree.
private func difference(_ left: Source, _ right: Source) -> String? {
    if left.base != right.base { return "base" }
    if left.hosts != right.hosts { return "hosts" }
    if left.cloudkitAddress?.container != right.cloudkitAddress?.container { return "container" }
    if left.cloudkitAddress?.environment != right.cloudkitAddress?.environment {
        return "environment"
    }
    if left.preset != right.preset { return "database" }
    if left.auth != right.auth { return "auth" }
    if left.timeout != right.timeout { return "timeout" }
    if left.retry != right.retry { return "retry" }
    if left.rate != right.rate { return "rate" }
    return left.headers != right.headers ? "headers" : nil
}

private func describedTables(
    of job: JobFile, in file: ReadFile
) -> [(table: String, shape: TableShape, node: Node?)] {
    let lists = job.lists.map { list in
        (list.table, TableShape(list), file.root?["lists"]?[list.name]?["table"])
    }
    guard case .sequence(let nodes)? = file.root?["entities"]?.content else { return lists }
    return lists
        + zip(job.entities, nodes).map { entity, node in
            (entity.write.table, TableShape(entity), node["write"]?["table"] ?? node)
        }
}
