/// `changes/zone` and its older form `records/changes`: what happened to a zone's records.
struct CloudFeed {
    let call: CloudCall

    /// Several zones, each with a page or an error of its own.
    func zones() throws(CloudError) -> Answer {
        guard let asked = call.body["zones"]?.elements, !asked.isEmpty else {
            throw .badRequest("Missing zones")
        }
        guard asked.count <= CloudSettings.pageMax else { throw .badRequest("Too many zones") }
        var served = Answer.Served()
        var pages: [(String, Result<Page, CloudError>)] = []
        for item in asked {
            guard let name = item["zoneID"]?["zoneName"]?.text else {
                throw .badRequest("Missing zoneName")
            }
            do throws(CloudError) {
                let page = try page(item)
                page.note(in: &served)
                pages.append((name, .success(page)))
            } catch {
                pages.append((name, .failure(error)))
            }
        }
        return call.answer(served: served) { json in
            json.array("zones", of: pages) { item, json in
                switch item.1 {
                case .failure(let error):
                    error.write(zone: call.id(item.0), into: &json, uuid: call.uuid)
                case .success(let page):
                    json.raw("{")
                    page.shape.zone.write(into: &json)
                    page.write(call, into: &json)
                    json.raw("}")
                }
            }
        }
    }

    /// The older form: one zone, whose errors are the request's.
    func records() throws(CloudError) -> Answer {
        let page = try page(call.body)
        var served = Answer.Served()
        page.note(in: &served)
        return call.answer(served: served) { page.write(call, into: &$0) }
    }

    struct Page {
        let changes: [(sequence: Int, record: CloudRecord)]
        let shape: CloudShape
        let token: String
        let hasMore: Bool

        func note(in served: inout Answer.Served) {
            for (_, record) in changes { served.add(record.name, record.last?.number ?? 0) }
            served.next = token
        }

        func write(_ call: CloudCall, into json: inout JSONText) {
            var place = 0
            json.array("records", of: changes) { change, json in
                defer { place += 1 }
                let name = change.record.name
                if let error = call.commandedError(name, at: place) {
                    error.write(record: name, into: &json, uuid: call.uuid)
                } else if let live = change.record.live {
                    live.write(name, shape, into: &json)
                } else {
                    change.record.last?.writeTombstone(name, shape, into: &json)
                }
            }
            json.field("syncToken", token)
            json.field("moreComing", hasMore)
        }
    }

    private func page(_ asked: JSONValue) throws(CloudError) -> Page {
        let zone = try call.zone(asked["zoneID"])
        if let error = call.commandedZoneError(zone.name) { throw error }
        guard !zone.isDefault else {
            throw .badRequest("the default zone has no change feed")
        }
        let limit = try call.limit(asked["resultsLimit"])
        let honoursTypes = call.settings.recordTypes == .honoured
        let types = honoursTypes ? asked["desiredRecordTypes"]?.texts.map { Set($0) } : nil
        let sent = try sentToken(asked, zone)
        let position = sent?.position ?? 0
        let repeated = sent == nil ? 0 : call.settings.repeatedRecords
        let (page, hasMore) = zone.changes(after: position, limit: limit, types: types)
        var shown = before(position, in: zone, count: min(repeated, limit)) + page
        if case .empty? = call.fault?.cursorFault { shown = [] }
        shown += shown.prefix(call.fault?.duplicates ?? 0)
        let end = hasMore ? page.last?.sequence ?? position : max(zone.end, position)
        return Page(
            changes: shown,
            shape: try call.shape(
                zone, desiredKeys: asked["desiredKeys"] ?? call.body["desiredKeys"]),
            token: next(zone, at: end, sent).text,
            hasMore: hasMore || call.fault?.cursorFault != nil)
    }

    /// The changes just before a position, for pages that overlap.
    private func before(
        _ position: Int, in zone: CloudZone, count: Int
    ) -> [(sequence: Int, record: CloudRecord)] {
        let end = partition(zone.feed.count) { zone.feed[$0].sequence > position }
        let current = zone.feed[..<end].filter { $0.record.last?.sequence == $0.sequence }
        return Array(current.suffix(count))
    }

    private func sentToken(
        _ asked: JSONValue, _ zone: CloudZone
    ) throws(CloudError) -> CloudToken? {
        guard let sent = asked["syncToken"] else { return nil }
        guard let text = sent.text else { throw CloudToken.TokenFault.unknownType.error }
        if text.isEmpty {
            return call.settings.emptyToken == .start ? nil : call.token(zone, at: zone.end)
        }
        switch CloudToken.read(text, as: .zone) {
        case .failure(let fault): throw fault.error
        case .success(let token):
            guard token.scope == zone.incarnation, token.epoch == call.database.tokenEpoch else {
                throw call.expired
            }
            return token
        }
    }

    private func next(_ zone: CloudZone, at end: Int, _ sent: CloudToken?) -> CloudToken {
        var next = call.token(zone, at: end)
        switch call.fault?.cursorFault {
        case nil: break
        case .endless?: next.nonce = call.request.number
        case .repeated?: return sent ?? call.token(zone, at: 0)
        case .loop?: next.nonce = sent?.nonce == 1 ? 2 : 1
        case .empty?:
            next.position = sent?.position ?? 0
            next.nonce = call.request.number
        }
        return next
    }
}

extension CloudCall {
    func token(_ zone: CloudZone, at position: Int) -> CloudToken {
        CloudToken(
            kind: .zone, scope: zone.incarnation, epoch: database.tokenEpoch, position: position)
    }

    /// What an expired token gets; sources disagree.
    var expired: CloudError {
        switch settings.expiredToken {
        case .badRequest: CloudToken.TokenFault.unknownType.error
        case .expired: CloudError("CHANGE_TOKEN_EXPIRED", "the change token has expired")
        }
    }
}
