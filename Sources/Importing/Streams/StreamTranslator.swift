import JSON
import JobFiles

/// Translates the streams of one manifest, parents before their children.
final class StreamTranslator: ParentFinding {
    private let config: ConfigTable
    private let chosenAuth: String?
    private var known: [(name: String, definition: JSONValue, entity: EntityDraft?)] = []
    private var names = NameSet()
    private(set) var entities: [EntityDraft] = []
    private(set) var left: [Left] = []
    private(set) var notes: [(stream: String, text: String)] = []
    /// A parent that is its own ancestor would never end.
    private var depth = 0

    init(config: ConfigTable, chosenAuth: String?) {
        self.config = config
        self.chosenAuth = chosenAuth
    }

    func parent(_ stream: JSONValue) -> EntityDraft? {
        guard depth < 8 else { return nil }
        return translate(stream)
    }

    /// The stream's entity; nil, and lines of what is left, where something of it can't be said.
    @discardableResult
    func translate(_ stream: JSONValue) -> EntityDraft? {
        let stream = incrementalForm(of: stream)
        let name = stream["name"]?.scalarText ?? "stream"
        let definition = withoutSchema(stream)
        if let found = known.first(where: { $0.name == name && $0.definition == definition }) {
            return found.entity
        }
        depth += 1
        defer { depth -= 1 }
        let context = StreamContext(stream: name, config: config)
        let entity = entity(of: stream, name, context)
        left += context.left.filter { !left.contains($0) }
        let result = context.left.isEmpty ? entity : nil
        known.append((name, definition, result))
        if let result {
            entities.append(result)
            notes += context.notes.map { (name, $0) }
        }
        return result
    }

    /// Of a stream with two forms the one that asks for what is new.
    private func incrementalForm(of stream: JSONValue) -> JSONValue {
        guard stream["type"]?.string == "StateDelegatingStream",
            let inner = stream["incremental_stream"]
        else { return stream }
        return inner
    }

    private func withoutSchema(_ stream: JSONValue) -> JSONValue {
        .object(
            (stream.members ?? []).filter { !["schema_loader", "$parameters"].contains($0.name) })
    }

    private func entity(of stream: JSONValue, _ name: String, _ context: StreamContext)
        -> EntityDraft?
    {
        let retriever = stream["retriever"] ?? .null
        let requester = retriever["requester"] ?? .null
        guard isPlain(retriever, requester, context) else { return nil }
        leaveOthers(stream, retriever, context)
        context.prepare(stream["incremental_sync"])
        var options: [(JSONValue, String)] = []
        let forEach = context.forEach(retriever["partition_router"], self, into: &options)
        let auth = context.attempt("authenticator") { () throws(Untranslatable) in
            try context.authentication(requester["authenticator"], chosen: chosenAuth)
        }
        context.parameters = requester["$parameters"] ?? .null
        let address = context.attempt("requester.path") { () throws(Untranslatable) in
            try context.address(requester)
        }
        var request = context.request(requester)
        if let (place, value) = context.signInOption {
            _ = context.attempt("authenticator") { () throws(Untranslatable) in
                try context.inject(place, value, into: &request)
            }
        }
        for (option, item) in options {
            context.sentItems.insert(item)
            _ = context.attempt("partition_router.request_option") { () throws(Untranslatable) in
                try context.inject(option, "{each.\(item)}", into: &request)
            }
        }
        let cursor = context.cursor(stream["incremental_sync"], into: &request)
        var records = context.recordsPlace(retriever["record_selector"])
        let page = context.page(retriever["paginator"], records: records.path, into: &request)
        context.countsPages = page.style == "page" || page.style == "offset"
        let errors = context.errors(requester["error_handler"])
        context.fields(stream, cursor, into: &records)
        addItemFields(context, &records)
        context.key(stream["primary_key"], into: &records)
        context.filter(retriever["record_selector"]?["record_filter"], into: &records)
        guard context.left.isEmpty, let auth, let address else { return nil }
        let made = EntityParts(
            request: request,
            query: address.query,
            page: page,
            records: records, errors: errors.rules, forEach: forEach, cursor: cursor)
        let entity = EntityDraft(
            name: names.unique(snakeCase(name)), stream: name, address: address, auth: auth,
            context: context,
            waitHeaders: errors.waitHeaders, fields: records.fields,
            make: { made.json($0, path: $1, table: $2) })
        entity.keptItems = context.items.compactMap { field, item in
            records.fields.fields.first { $0.item == item }.map { (field, $0.name) }
        }.sorted { $0.0 < $1.0 }
        return entity
    }

    /// It asks pages by HTTP, and no code of its own does.
    private func isPlain(
        _ retriever: JSONValue, _ requester: JSONValue, _ context: StreamContext
    ) -> Bool {
        guard retriever.type(usually: "SimpleRetriever") == "SimpleRetriever" else {
            let what = retriever["class_name"]?.string ?? retriever["type"]?.string ?? ""
            context.leave(
                "retriever", what,
                what == "AsyncRetriever"
                    ? "a job at the source that makes a file" : "Python that reads the source")
            return false
        }
        guard requester.type(usually: "HttpRequester") == "HttpRequester" else {
            context.leave(
                "requester", requester["class_name"]?.string ?? requester["type"]?.string ?? "",
                "Python that asks the source")
            return false
        }
        return true
    }

    /// Each item is kept, so that rows of one are told from those of another.
    private func addItemFields(_ context: StreamContext, _ records: inout RecordsDraft) {
        let fields = Dictionary(context.items.map { ($0.value, $0.key) }, uniquingKeysWith: min)
        for (item, field) in fields.sorted(by: { $0.key < $1.key })
        where !records.fields.fields.contains(where: { $0.item == item }) {
            _ = records.fields.add(
                FieldDraft(
                    name: snakeCase(field), type: context.itemTypes[item] ?? "text", item: item))
        }
    }

    /// What no stream of a job file has.
    private func leaveOthers(_ stream: JSONValue, _ retriever: JSONValue, _ context: StreamContext)
    {
        if let decoder = retriever["decoder"]?["type"]?.string, decoder != "JsonDecoder" {
            context.leave(
                "decoder", retriever["decoder"]?["class_name"]?.string ?? decoder,
                "answers are read as JSON")
        }
        if stream["file_uploader"] != nil {
            context.leave("file_uploader", "", "files that are fetched")
        }
        if retriever["pagination_reset"] != nil {
            context.leave("pagination_reset", "", "a list that is begun anew")
        }
        let selector = retriever["record_selector"]
        if let other = selector?["type"]?.string, other != "RecordSelector" {
            context.leave(
                "record_selector", selector?["class_name"]?.string ?? other,
                "Python that finds the records")
        }
        if let loader = stream["schema_loader"], loader["type"]?.string == "DynamicSchemaLoader" {
            context.note("columns that are known at run time only: one column keeps each record")
        }
    }
}

/// What an entity is made of.
struct EntityParts {
    var request: RequestDraft
    var query: [(name: String, value: Template)]
    var page: PageDraft
    var records: RecordsDraft
    var errors: [JSONValue]
    var forEach: [JSONValue]
    var cursor: CursorDraft?

    func json(_ entity: EntityDraft, path: String, table: String) -> JSONValue {
        var members = [JSONMember("entity", .string(entity.name))]
        if forEach.count == 1 { members.append(JSONMember("for_each", forEach[0])) }
        if forEach.count > 1 { members.append(JSONMember("for_each", .array(forEach))) }
        members.append(JSONMember("request", .object(request.members(path: path, besides: query))))
        if !errors.isEmpty { members.append(JSONMember("errors", .array(errors))) }
        members.append(JSONMember("page", page.json))
        if let incremental = cursor?.incremental {
            members.append(JSONMember("incremental", .object(incremental)))
        }
        members.append(JSONMember("records", recordsJSON(entity)))
        members.append(JSONMember("write", writeJSON(entity, table)))
        return .object(members)
    }

    private func recordsJSON(_ entity: EntityDraft) -> JSONValue {
        var members = [JSONMember("at", .string(records.at))]
        members.append(
            JSONMember(
                "key",
                records.key.isEmpty ? .string("content") : .array(records.key.map { .string($0) })))
        if records.oneAsList, !page.isPaged {
            members.append(JSONMember("one_as_list", .bool(true)))
        }
        if records.valuesAsList { members.append(JSONMember("values_as_list", .bool(true))) }
        // Where absence deletes, a list that is not there proves nothing.
        if records.absent, mode != "replace_all" {
            members.append(JSONMember("absent", .string("empty")))
        }
        if !records.keepIf.isEmpty { members.append(JSONMember("keep_if", .array(records.keepIf))) }
        members.append(JSONMember("fields", .object(entity.fields.fields.map(\.json))))
        return .object(members)
    }

    private var mode: String {
        if records.key.isEmpty { return cursor?.incremental == nil ? "replace_all" : "insert_new" }
        return versionField == nil ? "overwrite" : "newest_wins"
    }

    /// Where the source can't be asked for what is new, the cursor tells which version is.
    private var versionField: String? {
        guard let cursor, cursor.incremental == nil, !records.key.isEmpty else { return nil }
        return records.fields.fields.first {
            $0.path == [cursor.field] && $0.type == "timestamp" && $0.constant == nil
        }?.name
    }

    private func writeJSON(_ entity: EntityDraft, _ table: String) -> JSONValue {
        var members = [JSONMember("table", .string(table)), JSONMember("mode", .string(mode))]
        if mode == "newest_wins", let versionField {
            members.append(JSONMember("newer_by", .string(versionField)))
        }
        return .object(members)
    }
}
