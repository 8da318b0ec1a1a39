/// Keys that would have no effect beside others: whoever wrote them expects one.
extension NodeReading {
    func checkIdleKeys(_ entity: Entity, _ written: Node) {
        checkIdleConditional(entity, written)
        checkIdlePage(entity, written)
        checkIdleVersion(entity, written)
        checkIdleDeletes(entity, written)
    }

    private func checkIdleConditional(_ entity: Entity, _ written: Node) {
        guard entity.isConditional, entity.write.mode == .replaceAll,
            let node = written["conditional"]
        else { return }
        add(
            node,
            "replace_all reads every pass in full, so that no ETag is ever sent back; leave conditional out, or use "
                + "mode overwrite with deletes.sweep")
    }

    private func checkIdlePage(_ entity: Entity, _ written: Node) {
        guard entity.page.style == .single, let page = written["page"] else { return }
        if let node = page["max_pages"] {
            add(node, "style single has one page; leave max_pages out")
        }
        if let node = page["size"], let uses = scope.entity?.uses,
            !uses.contains(where: { $0.placeholder == .pageSize })
        {
            add(node, "style single sends no size but as {page.size}; send it, or leave size out")
        }
    }

    private func checkIdleVersion(_ entity: Entity, _ written: Node) {
        let isKept = entity.incremental?.watermark == .maxSeen
        if let name = entity.write.newerBy, let node = written["write"]?["newer_by"],
            entity.write.mode != .newestWins, !isKept, entity.push == nil
        {
            add(
                node,
                "nothing asks which version is newer; expected mode newest_wins or incremental.watermark max_seen, else "
                    + "leave \"\(name)\" out here")
        }
        if !isKept, let rule = entity.incremental, rule.overlapCount > 0,
            let node = written["incremental"]?["overlap"]
        {
            add(node, "a run's start is a time; expected a span of time such as 5m")
        }
        if !isKept, case .fixed(let start)? = entity.incremental?.start, Int64(start) != nil,
            let node = written["incremental"]?["start"]
        {
            add(node, "a run's start is a time; expected one such as 2025-01-31T00:00:00Z")
        }
        if !isKept, entity.incremental?.isAscending == true,
            let node = written["incremental"]?["ascending"]
        {
            add(
                node,
                "only max_seen knows the newest that a pass has stored; expected it as watermark, or leave ascending out"
            )
        }
        if isKept, entity.incremental?.fallsBackToJob == true,
            let name = entity.write.newerBy, entity.records.field(named: name)?.kind == .int,
            let node = written["incremental"]?["fallback"]
        {
            add(
                node,
                "\"\(name)\" is an int, and the job's last success is a time; leave fallback out")
        }
    }

    private func checkIdleDeletes(_ entity: Entity, _ written: Node) {
        guard let node = written["write"]?["deletes"], let deletes = entity.write.deletes else {
            return
        }
        if let fraction = node["max_fraction"], !entity.sweeps, let share = deletes.maxFraction,
            (0...1).contains(share)
        {
            add(
                fraction,
                "max_fraction bounds a sweep, and there is none; add sweep: after_full_pass")
        }
        if let word = node["tombstones"], word.isScalar("delete") || word.isScalar("ignore"),
            deletes.flagAt == nil,
            !entity.isChangeFeed
        {
            add(word, "no tombstones come without changes/zone or flag_at")
        }
    }
}
