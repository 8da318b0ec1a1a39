/// What two parts of one entity must agree on, as far as they could be read.
extension NodeReading {
    func checkParts(_ parts: Parts<Entity>, _ written: Node) {
        if let uses = scope.entity?.uses {
            parts.model.page.resumesBySince
                ? checkResumption(uses, written) : checkSince(uses, written)
        }
        let columns = scope.entity?.columns
        if !parts.wrong.contains("for_each") { checkItems(parts.model.forEach, written, columns) }
        checkNewerBy(parts, written, columns)
        if let columns, !parts.wrong.contains("page") {
            checkKeyset(parts.model.page, written, columns)
        }
    }

    private func checkSince(_ uses: [PlaceholderUse], _ written: Node) {
        let use = uses.first { $0.placeholder == .since }
        if let use, written["incremental"] == nil {
            add(use.node, "{since} has no value without incremental")
        }
        let until = uses.first { $0.placeholder == .until }
        if let until, written["incremental"] == nil {
            add(until.node, "{until} has no value without incremental")
        }
        guard uses.allSatisfy({ $0.placeholder != nil }) else { return }
        for key in ["window", "until"] where until == nil {
            guard let node = written["incremental"]?[key] else { continue }
            add(
                node, "\(key), but {until} is never sent; every request would ask for all up to now"
            )
        }
        if use == nil, written["incremental"] != nil, let request = written["request"] {
            add(request, "incremental, but {since} is never sent; every pass would be a full one")
        }
    }

    /// A token of the last page stands in the place of a watermark.
    private func checkResumption(_ uses: [PlaceholderUse], _ written: Node) {
        guard uses.allSatisfy({ $0.placeholder != nil }),
            !uses.contains(where: { $0.placeholder == .since }),
            let node = written["page"]?["resume_at"]
        else { return }
        add(node, "resume_at, but {since} is never sent; every pass would be the first one")
    }

    private func checkNewerBy(_ parts: Parts<Entity>, _ written: Node, _ columns: Columns?) {
        let incremental = parts.model.incremental
        let seesMax = incremental?.watermark == .maxSeen
        guard let node = written["write"]?["newer_by"] else {
            if seesMax, !parts.wrong.contains("write"), parts.model.write.mode != .newestWins,
                let location = written["incremental"]?["watermark"]
            {
                add(
                    location,
                    "max_seen needs write.newer_by, the field whose largest value it keeps")
            }
            return
        }
        guard let columns, let name = fieldName(node, names: columns.names),
            let field = columns.field(named: name)
        else { return }
        guard field.made == nil else {
            add(node, "\"\(name)\" is made here, and tells no version from another")
            return
        }
        guard [.timestamp, .int, .decimal].contains(field.kind) else {
            add(
                node,
                "newer_by must be a timestamp, an int or a decimal, \"\(name)\" is \(field.kind.rawValue)"
            )
            return
        }
        let isNumber = field.kind != .timestamp
        let kind = field.kind == .int ? "an int" : "a decimal"
        guard seesMax, let incremental, let location = written["incremental"] else { return }
        if case .fixed(let start)? = incremental.start, let node = location["start"],
            (Int64(start) != nil) != isNumber
        {
            add(
                node,
                "\"\(name)\" is \(isNumber ? "\(kind); expected a whole number" : "a timestamp; expected a time such as 2025-01-31T00:00:00Z")"
            )
        }
        if !isNumber, incremental.overlapCount > 0, let node = location["overlap"] {
            add(node, "\"\(name)\" is a timestamp; expected a span of time such as 5m")
        }
        if field.kind == .decimal, incremental.overlapCount > 0, let node = location["overlap"] {
            add(node, "\"\(name)\" is a decimal, which takes no overlap; leave it out")
        }
        if isNumber { checkNumber(incremental, location, "\"\(name)\" is \(kind)") }
    }

    /// A watermark that is a number, which no time can be compared with; `what` says so.
    private func checkNumber(_ incremental: Incremental, _ location: Node, _ what: String) {
        for key in ["window", "until"] {
            guard let node = location[key] else { continue }
            add(node, "\(what), and {until} is a time; leave \(key) out")
        }
        if case .ago? = incremental.start, let node = location["start"] {
            add(node, "\(what); expected a whole number")
        }
        for use in scope.entity?.uses ?? [] where use.placeholder == .until {
            add(use.node, "{until} is a time, and {since} is none: \(what)")
        }
        if incremental.format != .raw {
            add(location["format"] ?? location, "\(what), so the format must be raw")
        }
        if incremental.overlap != .zero, let overlap = location["overlap"] {
            add(overlap, "\(what), so no time can be taken off it; expected a whole number")
        }
    }

    private func checkKeyset(_ page: Page, _ written: Node, _ columns: Columns) {
        guard let name = page.keysetField, let node = written["page"]?["by"],
            fieldName(node, names: written["records"]?["fields"]?.keys) != nil,
            let field = columns.field(named: name)
        else { return }
        if field.made != nil {
            add(node, "\"\(name)\" is made here, and stands in no record")
        } else if ![.int, .decimal, .timestamp, .text].contains(field.kind) || !field.required {
            add(node, "a keyset's field must be a required int, decimal, timestamp or text")
        }
    }
}

/// What the parts of a whole entity must agree on.
extension NodeReading {
    func checkEntity(_ entity: Entity, _ written: Node) {
        checkWindow(entity, written)
        checkWindows(entity, written)
        checkResumed(entity, written)
        checkPageSigns(entity, written)
        checkFullPasses(entity, written)
        checkDeletes(entity, written)
        checkPush(entity, written)
        checkBroughtSecrets(entity, written)
        checkSteps(entity, written)
        checkErrors(entity, written)
        checkNestedKeyset(entity, written)
        if entity.isConditional, entity.request.method != "GET", let node = written["conditional"] {
            add(
                node,
                "only a GET is answered with 304, this request is a \(entity.request.method)")
        } else if entity.isConditional, entity.request.body != nil || !entity.request.form.isEmpty,
            let node = written["conditional"]
        {
            add(node, "a validator is of an address, and this request has a body besides")
        } else if entity.isConditional, entity.records.rest != nil,
            let node = written["conditional"]
        {
            add(
                node,
                "an answer does not tell whether the rest of its inner lists has changed; leave conditional or rest out"
            )
        } else if entity.isConditional, entity.records.keepIf.contains(where: { $0.span != nil }),
            let node = written["conditional"]
        {
            add(
                node,
                "a record that grows older than younger_than stays while its list is not read again; leave conditional out"
            )
        }
        if entity.forEach?.asksUnchangedAfter != nil, let node = written["probe"] {
            add(node, "the row of an item tells whether it has changed; leave probe out")
        }
        if entity.forEach != nil, entity.cloudkit != nil, let node = written["for_each"] {
            add(node, "an operation of cloudkit has no place for an item")
        }
    }

    /// What the last page says of the next pass leaves no room for a watermark.
    private func checkResumed(_ entity: Entity, _ written: Node) {
        guard entity.page.resumeAt != nil, let node = written["incremental"] else { return }
        add(node, "the last page says where the next pass begins; leave incremental out")
    }

    /// A query is windowed by `since` and `incremental` together, a feed by its token.
    private func checkWindow(_ entity: Entity, _ written: Node) {
        switch entity.cloudkit {
        case nil: break
        case .zoneChanges?, .coreData?:
            if let node = written["incremental"] {
                add(node, "a change feed goes on from its sync token; leave incremental out")
            }
        case .query:
            if written["cloudkit"]?["since"] == nil, let node = written["incremental"] {
                add(
                    node,
                    "incremental, but cloudkit.since is missing; every pass would be a full one")
            }
            if entity.incremental == nil, let node = written["cloudkit"]?["since"] {
                add(node, "since has no value without incremental")
            }
        }
    }

    /// A pass that goes from window to window.
    private func checkWindows(_ entity: Entity, _ written: Node) {
        guard let rule = entity.incremental, let node = written["incremental"] else { return }
        if let window = node["window"] {
            if rule.start == nil { add(window, "windows need a beginning; add start") }
            if let span = rule.window, case .time(let format) = rule.format, span < format.step {
                add(
                    window,
                    "format \(format.text) does not tell times so near to each other apart; expected \(format.step.jobFileText) or more"
                )
            }
            if entity.page.outlives {
                add(window, "a position that outlives the pass goes on by itself; leave window out")
            }
            if case .fixed(let text)? = rule.start, Int64(text) != nil {
                add(window, "a window is of time, and start is a number; leave window out")
            }
        }
        guard entity.sweeps,
            let sweep = written["write"]?["deletes"]?["sweep"] ?? written["write"]?["mode"]
        else { return }
        let isCut = rule.window != nil || rule.lag != nil
        if case .ago? = rule.start {
            add(
                sweep,
                "start moves with every run, and what is older would be swept; expected a fixed start"
            )
        } else if isCut {
            add(
                sweep,
                "a pass with window or until does not show the newest records, so nothing can be swept"
            )
        }
    }

    /// Absence proves nothing but at the end of a full pass (invariant 6).
    private func checkFullPasses(_ entity: Entity, _ written: Node) {
        let write = written["write"]
        if entity.write.deletes?.sweeps == true, let node = write?["deletes"]?["sweep"] {
            if entity.incremental != nil, entity.incremental?.fullEvery == nil {
                add(
                    node,
                    "a sweep follows a full pass, and an incremental entity reads none without "
                        + "incremental.full_every")
            }
            if entity.page.persists {
                add(node, "a keyset that persists never reads a full pass, so nothing can be swept")
            }
            if let reason = entity.reasonAgainstItemSweep {
                add(node, "\(reason), so nothing can be swept")
            }
        }
        if entity.records.keyless == .one, let reason = entity.reasonAgainstItemSweep,
            let node = written["records"]?["key"]
        {
            add(node, "each item has a record of its own, and \(reason)")
        }
        guard entity.write.mode == .replaceAll, let node = write?["mode"] else { return }
        let reason: String? =
            if entity.incremental != nil {
                "an incremental pass shows only what is new; leave incremental out"
            } else if entity.page.outlives {
                "the position outlives the pass, so the next one shows only what is new"
            } else if let reason = entity.reasonAgainstItemSweep {
                reason
            } else if entity.push != nil {
                "local edits would be lost"
            } else {
                nil
            }
        if let reason { add(node, "replace_all deletes what a pass did not show: \(reason)") }
    }

    private func checkDeletes(_ entity: Entity, _ written: Node) {
        guard let deletes = entity.write.deletes, let node = written["write"]?["deletes"] else {
            return
        }
        for name in deletes.confirmation?.columns ?? [] where !entity.records.key.contains(name) {
            if let location = node["confirm"]?["path"] {
                add(
                    location,
                    "{row.\(name)} is no column of the key; a record is asked for by its key"
                )
            }
        }
        if entity.records.keyless == .content, let location = node["flag_at"] {
            add(location, "a deleted record has other content than its row; leave flag_at out")
        }
        if entity.records.countsMapAsList, let location = node["confirm"] {
            add(location, "a record of map_as_list is not asked for by itself; leave confirm out")
        }
        if entity.cloudkit != nil, let location = node["confirm"] {
            add(location, "records of CloudKit are not asked for by a path; leave confirm out")
        }
        if entity.push == nil, let word = node["unsent"],
            Deletes.Unsent(rawValue: word.scalarText ?? "") != nil
        {
            add(word, "there are no unsent edits without push")
        }
    }

    private func checkPush(_ entity: Entity, _ written: Node) {
        if entity.write.unique?.losers == .delete, entity.push?.sendsDeletes != true,
            let node = written["write"]?["unique"]?["losers"]
        {
            add(node, "losers come back with the next full pass unless push.deletes is true")
        }
        guard let push = entity.push, let node = written["push"] else { return }
        if entity.cloudkit == nil {
            add(node, "only an entity with cloudkit can be pushed")
        } else if !entity.isChangeFeed, scope.address?.database == .shared {
            add(node, "in a shared database only changes/zone can be pushed")
        }
        for name in push.columns where entity.records.field(named: name) == nil {
            guard let location = node["record_name"] else { continue }
            addUnknown("field", name, known: entity.records.fields.map(\.name), at: location)
        }
        if push.resolution == .newestWins, entity.write.newerBy == nil {
            add(
                node["on_conflict"]?["resolve"] ?? node,
                "newest_wins needs write.newer_by, the field that says which is newer")
        }
        if let type = node["record_type"], !entity.recordTypes.isEmpty,
            !entity.recordTypes.contains(push.recordType)
        {
            addUnknown("record type", push.recordType, known: entity.recordTypes, at: type)
        }
    }

    /// An outer record without inner ones shows no position of theirs, so that the pass would end before it.
    private func checkNestedKeyset(_ entity: Entity, _ written: Node) {
        guard case .keyset(.field, _) = entity.page.style,
            entity.records.at.steps.count(where: { $0 == .each }) > 1,
            let node = written["page"]?["by"]
        else { return }
        add(
            node,
            "records.at goes through several [], and an outer record that holds no inner one shows no position; "
                + "page by token_at, offset or page")
    }

    private func checkErrors(_ entity: Entity, _ written: Node) {
        let nodes = written["errors"]?.elements ?? []
        guard nodes.count == entity.errors.count else { return }
        for (rule, node) in zip(entity.errors, nodes) where rule.then == .end {
            guard !entity.page.isCounted, let then = node["then"] else { continue }
            add(then, "end is for style offset and page, which may ask behind the last page")
        }
        let taken = Set(entity.errors.filter { $0.body == nil }.flatMap(\.statuses))
        for (recovery, node) in zip(entity.recover, written["recover"]?.elements ?? []) {
            guard let status = recovery.statuses.first(where: taken.contains),
                let location = node["if"]?["status"]
            else { continue }
            add(
                location, "a rule of errors takes each \(status), so that nothing is recovered from"
            )
        }
    }

    private func checkSteps(_ entity: Entity, _ written: Node) {
        for (recovery, node) in zip(entity.recover, written["recover"]?.elements ?? []) {
            for (step, location) in zip(recovery.steps, node["do"]?.elements ?? []) {
                if step == .createZone, !entity.isChangeFeed {
                    add(location, "only changes/zone names a zone that could be made")
                } else if step == .createZone, entity.zoneOwner != nil {
                    add(
                        location,
                        "a shared zone is made by its owner; leave cloudkit.create_zone out")
                }
                if step == .forgetToken, !entity.page.outlives {
                    add(location, "no token outlives a pass of this entity; leave forget_token out")
                }
            }
        }
    }
}

extension Push {
    /// The columns that the name of a record is made of.
    fileprivate var columns: [String] {
        recordName.placeholders.compactMap { placeholder in
            if case .row(let name) = placeholder { name } else { nil }
        }
    }
}
