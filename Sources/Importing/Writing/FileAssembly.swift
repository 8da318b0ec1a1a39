import JSON
import JobFiles

/// Puts entities into files, one for each source, and lets go of what is not valid.
struct FileAssembly {
    let source: String
    private(set) var files: [AirbyteImport.File] = []
    private(set) var left: [Left] = []
    private(set) var written: [EntityDraft] = []

    init(source: String) { self.source = source }

    mutating func assemble(_ entities: [EntityDraft]) {
        var groups: [[EntityDraft]] = []
        for entity in entities {
            let index = groups.firstIndex {
                $0[0].origin == entity.origin && $0[0].auth == entity.auth
                    && $0[0].hosts == entity.hosts
                    && $0[0].login?.json(path: "") == entity.login?.json(path: "")
                    && $0[0].login?.address == entity.login?.address
            }
            if let index { groups[index].append(entity) } else { groups.append([entity]) }
        }
        for (index, group) in groups.enumerated() {
            write(group, suffix: index == 0 ? "" : "_\(index + 1)")
        }
    }

    /// A file is written once nothing in it is wrong; a stream that is goes, with those that need its rows.
    private mutating func write(_ group: [EntityDraft], suffix: String) {
        var entities = group
        while !entities.isEmpty {
            if let orphan = entities.first(where: { entity in
                entity.parents.contains { parent in !entities.contains { $0 === parent } }
            }) {
                drop(
                    orphan, from: &entities, "partition_router", "its parent",
                    "the parent's rows are not in the same file")
                continue
            }
            let (text, conflict) = text(of: entities, suffix)
            if let (entity, name) = conflict {
                drop(
                    entity, from: &entities, "config", name,
                    "one value of the configuration stands for two things")
                continue
            }
            switch JobFile.parse(text, file: "\(source)\(suffix).yaml") {
            case .success:
                files.append(AirbyteImport.File(name: "\(source)\(suffix).yaml", text: text))
                written += entities
                return
            case .failure(let mistakes):
                let wrong = entities.enumerated().filter { index, _ in
                    mistakes.all.contains {
                        $0.path == "entities[\(index)]" || $0.path.hasPrefix("entities[\(index)].")
                    }
                }.map(\.element)
                for entity in wrong.isEmpty ? entities : wrong {
                    let index = entities.firstIndex { $0 === entity } ?? 0
                    let mistake = mistakes.all.first {
                        wrong.isEmpty || $0.path.hasPrefix("entities[\(index)]")
                    }
                    left.append(
                        Left(
                            stream: entity.stream, place: "job file",
                            what: mistake?.path.replacing("entities[\(index)].", with: "") ?? "",
                            why: mistake?.message ?? "not valid",
                            nearest: "write this entity by hand"))
                }
                let gone = wrong.isEmpty ? entities : wrong
                entities.removeAll { entity in gone.contains { $0 === entity } }
            }
        }
    }

    private mutating func drop(
        _ entity: EntityDraft, from entities: inout [EntityDraft], _ place: String, _ what: String,
        _ why: String
    ) {
        left.append(
            Left(
                stream: entity.stream, place: place, what: what, why: why,
                nearest: "write this entity by hand"))
        entities.removeAll { $0 === entity }
    }

    private func text(of entities: [EntityDraft], _ suffix: String) -> (
        String, (EntityDraft, String)?
    ) {
        var inputs: [String: DeclaredInput] = [:]
        for entity in entities {
            for (name, input) in entity.inputs {
                guard let known = inputs[name] else {
                    inputs[name] = input
                    continue
                }
                guard let merged = known.merged(with: input) else { return ("", (entity, name)) }
                inputs[name] = merged
            }
        }
        let prefix = commonSegments(entities)
        let first = entities[0]
        let id = (source + suffix).replacing("_", with: "-")
        let base = ([first.origin] + prefix.map { Template(pieces: $0).description }).joined(
            separator: "/")
        var members = [JSONMember("id", .string(id)), JSONMember("base", .string(base))]
        if !first.hosts.isEmpty {
            members.append(JSONMember("hosts", .array(first.hosts.map { .string($0) })))
        }
        if first.auth["type"] != .string("none") {
            members.append(JSONMember("auth", auth(of: first, below: prefix.count)))
        }
        let waits = Set(entities.flatMap(\.waitHeaders)).sorted()
        if !waits.isEmpty {
            let all = (["Retry-After"] + waits).map {
                JSONValue.object([JSONMember("header", .string($0))])
            }
            members.append(JSONMember("retry", .object([JSONMember("wait_from", .array(all))])))
        }
        let declared = inputs.sorted { $0.key < $1.key }.compactMap { name, input in
            input.json.map { JSONMember(name, $0) }
        }
        var tables = NameSet()
        var file = [
            JSONMember("version", .integer(1)),
            JSONMember("job", .string("\(shortened(source)).refresh\(suffix)")),
            JSONMember(
                "schedule",
                .object([JSONMember("every", .string("6h")), JSONMember("deadline", .string("1h"))])
            ),
        ]
        if !declared.isEmpty { file.append(JSONMember("inputs", .object(declared))) }
        file.append(JSONMember("source", .object(members)))
        let all = entities.map { entity in
            entity.json(
                path: path(of: entity, below: prefix.count),
                table: tables.unique("\(source)_\(entity.name)"))
        }
        file.append(JSONMember("entities", .array(all)))
        return (YAMLText.text(of: .object(file)), nil)
    }

    /// What all addresses have in common, so that something is left of each.
    private func commonSegments(_ entities: [EntityDraft]) -> [StreamAddress.Segment] {
        let login = entities[0].login.map(\.address)
        let isOfSource = login?.origin == entities[0].origin
        let logins = isOfSource ? login.map { [$0.segments] } ?? [] : []
        let all = entities.map(\.address.segments) + logins
        var common = all[0]
        for segments in all {
            while !segments.starts(with: common) { common.removeLast() }
        }
        let shortest = all.map(\.count).min() ?? 0
        if common.count >= shortest, shortest > 0 { common = Array(common.prefix(shortest - 1)) }
        // A base holds attributes of the user as whole segments, and nothing else.
        while let wrong = common.firstIndex(where: { !$0.isOfBase(entities[0].inputs) }) {
            common = Array(common[..<wrong])
        }
        return common
    }

    private func path(of entity: EntityDraft, below count: Int) -> String {
        path(of: entity.address, below: count)
    }

    private func path(of address: StreamAddress, below count: Int) -> String {
        let rest = address.segments.dropFirst(count).map { Template(pieces: $0).description }
        return "/" + rest.joined(separator: "/")
            + (address.endsWithSlash && !rest.isEmpty ? "/" : "")
    }

    /// The sign-in, with the path of its login below the base.
    private func auth(of entity: EntityDraft, below count: Int) -> JSONValue {
        guard let login = entity.login, var members = entity.auth.members else {
            return entity.auth
        }
        let isOfSource = login.address.origin == entity.origin
        let path = path(of: login.address, below: isOfSource ? count : 0)
        members.insert(JSONMember("login", login.json(path: path)), at: 1)
        if !isOfSource { members.insert(JSONMember("base", .string(login.address.origin)), at: 2) }
        return .object(members)
    }
}

extension EntityDraft {
    fileprivate var origin: String { address.origin }
}

extension StreamAddress.Segment {
    /// Text, or an attribute that stands for the segments of a path.
    fileprivate func isOfBase(_ inputs: [String: DeclaredInput]) -> Bool {
        guard count == 1 else { return false }
        switch self[0] {
        case .literal: return true
        case .placeholder(.user(let name)):
            guard let input = inputs[name] else { return false }
            return name.hasSuffix("_path") && (input.standard != nil || !input.map.isEmpty)
        case .placeholder: return false
        }
    }
}
