/// `records/query`: filters, sorts and pages, read through an index that may lag.
struct CloudQuery {
    private let call: CloudCall
    private let type: String
    private let filters: [CloudFilter]
    private let sorts: [Sort]
    private let zones: [CloudZone]
    private let fingerprint: String

    private struct Sort {
        let subject: CloudSubject
        let isAscending: Bool
    }

    init(_ call: CloudCall) throws(CloudError) {
        self.call = call
        guard let query = call.body["query"] else { throw .badRequest("Missing query") }
        guard let type = query["recordType"]?.text else { throw .badRequest("Missing recordType") }
        self.type = type
        var filters: [CloudFilter] = []
        for filter in query["filterBy"]?.elements ?? [] {
            filters.append(try CloudFilter(filter, call.settings.systemFields))
        }
        self.filters = filters
        var sorts: [Sort] = []
        for sort in query["sortBy"]?.elements ?? [] {
            sorts.append(
                Sort(
                    subject: try CloudSubject(sort, call.settings.systemFields),
                    isAscending: sort["ascending"]?.flag ?? true))
        }
        self.sorts = sorts
        if call.body["zoneID"] == nil, call.body["zoneWide"]?.flag ?? false {
            zones = call.database.zones.values.sorted { $0.incarnation < $1.incarnation }
        } else {
            zones = [try call.zone(call.body["zoneID"])]
        }
        fingerprint = query.canonical + zones.map { "|" + $0.incarnation }.joined()
        try checkIndexes()
    }

    /// Every filtered field must be queryable, every sorted one sortable; all records of a type are found by their names.
    private func checkIndexes() throws(CloudError) {
        guard let schema = call.container.schema[type] else {
            throw CloudError("NOT_FOUND", "Did not find record type: \(type)")
        }
        let looked = filters.isEmpty ? [CloudSubject.system(.recordName)] : filters.map(\.subject)
        for subject in looked where !(schema.fields[subject.name]?.isQueryable ?? false) {
            throw .badRequest("Field '\(subject.name)' is not marked queryable")
        }
        for sort in sorts where !(schema.fields[sort.subject.name]?.isSortable ?? false) {
            throw .badRequest("Field '\(sort.subject.name)' is not marked sortable")
        }
    }

    // MARK: Pages

    /// The position of a marker that leads back to the first page.
    private static let beginning = -1

    func answer() throws(CloudError) -> Answer {
        let limit = try call.limit(call.body["resultsLimit"])
        let shape = try call.shape(zones[0], desiredKeys: call.body["desiredKeys"])
        let marker = try marker()
        let rows = rows()
        let start = marker.flatMap { marker in
            marker.position == CloudQuery.beginning
                ? nil
                : partition(rows.count) {
                    follows((rows[$0].keys, rows[$0].serial), (marker.keys, marker.position))
                }
        }
        let first = start ?? 0
        let repeated = start == nil ? 0 : min(first, call.settings.repeatedRecords)
        let page = Array(rows[first...].prefix(limit))
        let hasMore = first + page.count < rows.count
        var shown = Array(rows[(first - repeated)..<first].prefix(limit)) + page
        if case .empty? = call.fault?.cursorFault { shown = [] }
        shown += shown.prefix(call.fault?.duplicates ?? 0)
        return answer(shown, shape, next: next(page.last, marker, hasMore))
    }

    private func marker() throws(CloudError) -> CloudToken? {
        guard let sent = call.body["continuationMarker"] else { return nil }
        guard let text = sent.text, case .success(let token) = CloudToken.read(text, as: .marker),
            token.scope == scope, token.epoch == call.database.markerEpoch
        else { throw .badRequest("Invalid continuation marker") }
        return token
    }

    private var scope: String {
        String(Catalogue.key(seed: 0, user: call.database.id + fingerprint), radix: 36)
    }

    private func next(
        _ last: CloudResults.Row?, _ sent: CloudToken?, _ hasMore: Bool
    ) -> CloudToken? {
        var next = CloudToken(
            kind: .marker, scope: scope, epoch: call.database.markerEpoch,
            position: last?.serial ?? sent?.position ?? 0, keys: last?.keys ?? sent?.keys ?? [])
        switch call.fault?.cursorFault {
        case nil: return hasMore ? next : nil
        case .endless?:
            next.nonce = call.request.number
            return next
        case .repeated?: return sent ?? next
        case .loop?:
            next.nonce = sent?.nonce == 1 ? 2 : 1
            return next
        case .empty?:
            next.position = sent?.position ?? CloudQuery.beginning
            next.keys = sent?.keys ?? []
            next.nonce = call.request.number
            return next
        }
    }

    private func rows() -> [CloudResults.Row] {
        let lag = call.settings.indexLag
        guard lag > 0 else {
            return call.database.results.rows(of: fingerprint, at: call.database.sequence) {
                sorted(indexedUpTo: .max)
            }
        }
        return sorted(indexedUpTo: call.clock.now - lag)
    }

    private func sorted(indexedUpTo time: Milliseconds) -> [CloudResults.Row] {
        var rows: [CloudResults.Row] = []
        for zone in zones {
            for record in zone.ordered {
                guard let version = record.indexed(upTo: time), version.type == type,
                    filters.allSatisfy({ $0.holds(record.name, version) })
                else { continue }
                let keys = sorts.map { CloudField.key($0.subject.value(record.name, version)) }
                rows.append(
                    CloudResults.Row(
                        keys: keys, serial: record.serial, record: record, version: version,
                        zone: zone))
            }
        }
        return rows.sorted { follows(($1.keys, $1.serial), ($0.keys, $0.serial)) }
    }

    /// Whether `one` comes after `other`; among equals the order of creation decides.
    private func follows(_ one: ([CloudKey], Int), _ other: ([CloudKey], Int)) -> Bool {
        for ((left, right), sort) in zip(zip(one.0, other.0), sorts) where left != right {
            return sort.isAscending ? left > right : left < right
        }
        return one.1 > other.1
    }

    private func answer(
        _ rows: [CloudResults.Row], _ shape: CloudShape, next: CloudToken?
    ) -> Answer {
        var served = Answer.Served()
        for row in rows { served.add(row.record.name, row.version.number) }
        served.next = next?.text
        return call.answer(served: served) { json in
            var place = 0
            json.array("records", of: rows) { row, json in
                defer { place += 1 }
                if let error = call.commandedError(row.record.name, at: place) {
                    return error.write(record: row.record.name, into: &json, uuid: call.uuid)
                }
                var shape = shape
                shape.zone = call.id(row.zone)
                row.version.write(row.record.name, shape, into: &json)
            }
            if let next { json.field("continuationMarker", next.text) }
            if call.request.query("getCurrentSyncToken") == "true" {
                json.field("syncToken", call.token(zones[0], at: zones[0].end).text)
            }
        }
    }
}
