/// What the rest of a file must leave to values of records that are secrets of the user.
extension NodeReading {
    /// What the entity's other keys must leave to its secrets.
    func checkBroughtSecrets(_ entity: Entity, _ written: Node) {
        let secrets = entity.records.secrets
        guard !secrets.isEmpty, let node = written["records"]?["secrets"] else { return }
        if scope.isTenant {
            add(node, "a record brings a secret of its user, and a job of scope tenant has none")
        }
        checkVersion(entity, node)
        if let push = written["push"] {
            add(push, "records that bring secrets are not written back; leave push out")
        }
        for secret in secrets {
            if let flag = entity.write.deletes?.flagAt, flag.overlaps(secret.at),
                let location = written["write"]?["deletes"]?["flag_at"]
            {
                add(location, "secret \"\(secret.name)\" stands there")
            }
            if case .token(.lastRecord(let path)) = entity.page.style, path.overlaps(secret.at),
                let location = written["page"]?["token_at"]
            {
                add(location, "secret \"\(secret.name)\" stands there, and a position is stored")
            }
            if entity.cloudkit == nil, let probe = entity.probe,
                probe.skipIfSame.contains(where: { $0.ends(in: secret.at) }),
                let location = written["probe"]?["skip_if_same"]
            {
                add(
                    location,
                    "secret \"\(secret.name)\" stands there, and what a probe says is stored")
            }
        }
    }

    /// Which of two values is the newer one is known by their records' times alone.
    private func checkVersion(_ entity: Entity, _ node: Node) {
        let field = entity.write.newerBy.flatMap { entity.records.field(named: $0) }
        // Of a name that is no field's another mistake tells.
        guard entity.write.mode != .newestWins || field.map({ $0.kind != .timestamp }) ?? false
        else { return }
        add(node, "secrets need write.mode newest_wins and a timestamp in write.newer_by")
    }

    /// No entity of the file may show in a column what its records, or another entity's, bring as a secret, and the run
    /// that brings a secret can't need it.
    func checkBroughtSecrets(_ file: JobFile, _ root: Node) {
        for entity in file.entities {
            for secret in entity.records.secrets {
                check(secret, of: entity, file, root)
            }
        }
    }

    private func check(
        _ secret: BroughtSecret, of entity: Entity, _ file: JobFile, _ root: Node
    ) {
        for other in file.entities where other.mayShow(entity) {
            for field in other.records.fields where field.places.contains(where: secret.at.overlaps)
            {
                let own = root.entity(named: other.name)?.withDefaults(root["defaults"])
                guard let location = own?["records"]?["fields"]?[field.name] else { continue }
                add(
                    location,
                    "field \"\(field.name)\" would show secret \"\(secret.name)\", which is no column"
                )
            }
        }
        let isNeeded =
            file.schedule.requires.contains(.secret(secret.name))
            || file.expanded.contains("{secret.\(secret.name)}")
        guard isNeeded, let location = root.entity(named: entity.name)?["records"]?["secrets"]
        else { return }
        add(location, "the file needs secret \"\(secret.name)\" itself, so that it can't bring it")
    }
}

extension Entity {
    /// Records of the other entity of the same source may be this one's too.
    func mayShow(_ other: Entity) -> Bool {
        guard let cloudkit, let theirs = other.cloudkit else {
            return cloudkit == nil && other.cloudkit == nil && request == other.request
        }
        guard zone == other.zone else { return false }
        guard case .only(let types) = theirs.recordTypes else { return true }
        return types.contains { cloudkit.recordTypes.contains($0) }
    }
}

extension Path {
    /// One of the two leads to a part of what the other leads to, or to the same.
    func overlaps(_ other: Path) -> Bool {
        zip(steps, other.steps).allSatisfy { $0 == $1 }
    }

    fileprivate func ends(in other: Path) -> Bool {
        steps.suffix(other.steps.count).elementsEqual(other.steps)
    }
}
