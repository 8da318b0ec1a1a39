/// `records/modify`: the seven operations, with change tags, atomic or not.
struct CloudModify {
    private let call: CloudCall
    private let zone: CloudZone
    private let isAtomic: Bool
    private var steps: [Step] = []

    /// Apple's limit for a record without assets, in bytes of its fields' JSON.
    static let recordBytesMax = 1_000_000

    fileprivate struct Step {
        let kind: Kind
        let name: String
        let type: String?
        let tag: String?
        let fields: [String: CloudField]
        let cleared: [String]
        var outcome = Outcome.deletedAlready
    }

    fileprivate enum Kind: String {
        case create, update, forceUpdate, replace, forceReplace, delete, forceDelete

        var needsTag: Bool { self == .update || self == .replace || self == .delete }
        var deletes: Bool { self == .delete || self == .forceDelete }
        var keepsFields: Bool { self == .update || self == .forceUpdate }
    }

    fileprivate enum Outcome {
        case write(type: String, fields: [String: CloudField])
        case delete(type: String)
        /// A forced deletion of what is not there.
        case deletedAlready
        case error(CloudError)
    }

    init(_ call: CloudCall) throws(CloudError) {
        self.call = call
        guard let operations = call.body["operations"]?.elements else {
            throw .badRequest("Missing operations")
        }
        guard operations.count <= call.settings.operationsMax else {
            throw .badRequest("more than \(call.settings.operationsMax) operations")
        }
        zone = try call.zone(call.body["zoneID"] ?? operations.first?["record"]?["zoneID"])
        // In a default zone the flag means nothing.
        isAtomic = call.body["atomic"]?.flag ?? true && !zone.isDefault
        var names: Set<String> = []
        for operation in operations {
            let step = try read(operation)
            guard names.insert(step.name).inserted else {
                throw .badRequest("more than one operation for record '\(step.name)'")
            }
            guard !call.settings.refusedRecords.contains(step.name) else {
                throw .badRequest("Invalid value in a record")
            }
            steps.append(step)
        }
    }

    private func read(_ operation: JSONValue) throws(CloudError) -> Step {
        guard let word = operation["operationType"]?.text, let kind = Kind(rawValue: word) else {
            throw .badRequest("unknown operationType")
        }
        guard let record = operation["record"] else { throw .badRequest("Missing record") }
        guard let name = record["recordName"]?.text ?? (kind == .create ? newName : nil) else {
            throw .badRequest("Missing recordName")
        }
        let type = record["recordType"]?.text
        let force = kind == .forceUpdate || kind == .forceReplace
        if kind == .create || force, type == nil { throw .badRequest("Missing recordType") }
        let schema = call.container.schema[type ?? zone.live(name)?.type ?? ""]
        var fields: [String: CloudField] = [:]
        var cleared: [String] = []
        for (key, wire) in record["fields"]?.members ?? [:] {
            if wire["value"] == nil {
                cleared.append(key)
            } else {
                let expected = schema?.fields[key]?.type ?? zone.live(name)?.fields[key]?.type
                fields[key] = try CloudField(wire: wire, expected: expected)
            }
        }
        return Step(
            kind: kind, name: name, type: type, tag: record["recordChangeTag"]?.text,
            fields: fields, cleared: cleared)
    }

    private var newName: String { call.database.newName(steps.count) }

    // MARK: Planning

    mutating func answer() -> Answer {
        var made: Set<String> = []
        for place in steps.indices {
            steps[place].outcome = plan(steps[place], at: place, made)
            if case .write = steps[place].outcome { made.insert(steps[place].name) }
        }
        if isAtomic, steps.contains(where: { $0.outcome.error != nil }) {
            let failed = CloudError("ATOMIC_ERROR", "another operation of this request failed")
            if call.settings.atomicError == .request { return failed.answer(uuid: call.uuid) }
            for place in steps.indices where steps[place].outcome.error == nil {
                steps[place].outcome = .error(failed)
            }
        }
        let records = steps.map(apply)
        return reply(records)
    }

    private func plan(_ step: Step, at place: Int, _ made: Set<String>) -> Outcome {
        do throws(CloudError) {
            if let error = call.commandedError(step.name, at: place) { throw error }
            if !step.kind.deletes { try checkSchema(step) }
            guard let live = zone.live(step.name) else { return try planMissing(step, made) }
            try checkRole(live, step.kind)
            switch step.kind {
            case .create: throw existing
            case .update, .replace, .delete:
                guard let tag = step.tag else { throw .badRequest("Missing recordChangeTag") }
                guard tag == live.changeTag else {
                    throw CloudError("CONFLICT", call.settings.staleTag.rawValue)
                }
            default: break
            }
            if step.kind.deletes { return .delete(type: live.type) }
            guard step.type == nil || step.type == live.type else {
                throw .badRequest("a record's type can't change")
            }
            var fields = step.kind.keepsFields ? live.fields : [:]
            fields.merge(step.fields) { $1 }
            for key in step.cleared { fields[key] = nil }
            return try write(live.type, fields, made)
        } catch {
            return .error(error)
        }
    }

    private func planMissing(_ step: Step, _ made: Set<String>) throws(CloudError) -> Outcome {
        if step.kind == .forceDelete { return .deletedAlready }
        guard !step.kind.needsTag, let type = step.type else {
            throw CloudError("NOT_FOUND", "record to update does not exist")
        }
        return try write(type, step.fields, made)
    }

    /// What is in production was declared before: a write adds neither a type nor a field, and in development both.
    private func checkSchema(_ step: Step) throws(CloudError) {
        guard let type = step.type ?? zone.live(step.name)?.type else { return }
        let schema = call.container.schema[type]
        let isProduction = call.container.key.isProduction
        if isProduction, schema == nil {
            throw .badRequest("Cannot create new type \(type) in production schema")
        }
        for (key, field) in step.fields.sorted(by: { $0.key < $1.key }) {
            if let expected = schema?.fields[key]?.type {
                guard expected == field.type else {
                    throw .badRequest("Invalid value, expected type \(expected).")
                }
            } else if isProduction {
                throw .badRequest(
                    "Cannot create or modify field '\(key)' in record '\(type)' in production schema"
                )
            }
        }
    }

    /// In the public database a record is its creator's to write, and a server's where a role says so.
    private func checkRole(_ live: CloudRecord.Version, _ kind: Kind) throws(CloudError) {
        guard call.database.isPublic, kind != .create, live.created.user != call.caller.user,
            !(call.caller.isServer && call.container.typesKeysMayWrite.contains(live.type))
        else { return }
        throw CloudError("ACCESS_DENIED", "WRITE operation not permitted")
    }

    private var existing: CloudError {
        CloudError(call.settings.insertExisting.rawValue, "record to insert already exists")
    }

    private func write(
        _ type: String, _ fields: [String: CloudField], _ made: Set<String>
    ) throws(CloudError) -> Outcome {
        let fields = kept(fields)
        var bytes = 0
        for (key, field) in fields {
            if field.type == "REFERENCE", field.value["action"]?.text == "VALIDATE",
                let target = field.value["recordName"]?.text, zone.live(target) == nil,
                !made.contains(target)
            {
                throw CloudError("VALIDATING_REFERENCE_ERROR", "no record '\(target)'")
            }
            bytes += key.utf8.count + field.value.canonical.utf8.count
        }
        guard bytes <= CloudModify.recordBytesMax else {
            throw .badRequest("record is larger than \(CloudModify.recordBytesMax) bytes")
        }
        return .write(type: type, fields: fields)
    }

    /// The fields as the source keeps them, with what it makes of its own.
    private func kept(_ fields: [String: CloudField]) -> [String: CloudField] {
        var kept = fields
        for (key, field) in fields where call.settings.normalises {
            guard let text = field.value.text else { continue }
            kept[key]?.value = .string(text.split(separator: " ").joined(separator: " "))
        }
        if let name = call.settings.slugOf, let text = kept[name]?.value.text {
            let slug = text.lowercased().split(separator: " ").joined(separator: "-")
            kept["\(name)Slug"] = CloudField("STRING", .string(slug))
        }
        return kept
    }

    // MARK: Writing

    private func apply(_ step: Step) -> CloudRecord? {
        switch step.outcome {
        case .error, .deletedAlready: return nil
        case .write(let type, let fields):
            if !call.container.key.isProduction { call.container.declare(step.fields, of: type) }
            return write(step.name, type, fields, isDeleted: false)
        case .delete(let type): return write(step.name, type, [:], isDeleted: true)
        }
    }

    private func write(
        _ name: String, _ type: String, _ fields: [String: CloudField], isDeleted: Bool
    ) -> CloudRecord {
        let now = call.clock.tick()
        let stamp = CloudRecord.Stamp(time: now, user: call.caller.user ?? "_world", device: "2")
        return call.database.write(
            CloudDatabase.Write(
                zone: zone, name: name, type: type, fields: fields, isDeleted: isDeleted,
                stamp: stamp, writtenAt: now))
    }

    private func reply(_ records: [CloudRecord?]) -> Answer {
        var served = Answer.Served()
        for record in records {
            if let record, let version = record.live { served.add(record.name, version.number) }
        }
        let keys = call.body["desiredKeys"]?.texts.map { Set($0) }
        let shape = CloudShape(
            desiredKeys: keys, numbersAsStrings: call.body["numbersAsStrings"]?.flag ?? false,
            hasExtras: call.settings.hasExtras, zone: call.id(zone), uuid: call.uuid,
            origin: call.origin)
        return call.answer(served: served) { json in
            json.array("records", of: zip(steps, records)) { item, json in
                let (step, record) = item
                if let error = step.outcome.error {
                    error.write(record: step.name, into: &json, uuid: call.uuid)
                } else if let version = record?.live {
                    version.write(step.name, shape, into: &json)
                } else {
                    json.raw("{")
                    json.field("recordName", step.name)
                    json.field("deleted", true)
                    json.raw("}")
                }
            }
        }
    }
}

extension CloudModify.Outcome {
    fileprivate var error: CloudError? {
        if case .error(let error) = self { return error }
        return nil
    }
}
