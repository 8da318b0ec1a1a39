import HTTP
import JobFiles
import JSON
import Reading

/// Tells which answers are pages of a job, and changes what is in them.
struct Pages: Sendable {
    private let entities: [Entity]

    init(_ file: JobFile) {
        entities = file.entities.filter(\.isEnabled)
    }

    /// The entities whose page this may be: by method, path and the list of its records.
    ///
    /// Entities of one source may ask the same address; then their pages look the same as well. An address that the
    /// source gave may have any path, but one that is an entity's own is rather that one's.
    func owners(of request: HTTPRequest, _ response: HTTPResponse) -> [Entity] {
        guard (200..<300).contains(response.status),
            let document = try? JSONDocument(parsing: response.body)
        else { return [] }
        let fitting = entities.filter { entity in
            entity.requests.contains { $0.method == request.method }
                && entity.showsRecords(in: document)
        }
        let asked = fitting.filter { entity in
            entity.requests.contains { $0.path.isAsked(by: request.url) }
        }
        return asked.isEmpty ? fitting.filter(\.continuesByAddress) : asked
    }

    /// Records in a page of the entity.
    func records(in response: HTTPResponse, of entity: Entity) -> Int {
        guard let document = try? JSONDocument(parsing: response.body) else { return 0 }
        return entity.recordCount(in: document)
    }

    /// The answer with the arrays of records changed; as it came when it can't be.
    func changing(
        _ response: HTTPResponse, of owners: [Entity], _ change: ([JSONValue]) -> [JSONValue]
    ) -> HTTPResponse {
        guard var value = (try? JSONDocument(parsing: response.body))?.root.value else {
            return response
        }
        // Entities that look the same must not have the same array changed twice.
        for place in Set(owners.filter(\.records.at.hasEach).map(RecordPlace.init)) {
            value = value.changing(place.path.steps[...]) { place.changing($0, change) }
        }
        var response = response
        response.body = value.bytes
        return response
    }
}

extension Entity {
    /// The position that a page of its own gives for the next; nil means none, or not of these styles.
    func next(in response: HTTPResponse) -> String? {
        guard let root = (try? JSONDocument(parsing: response.body))?.root else { return nil }
        let found: JSONNode?
        switch page.style {
        case .token(.body(let path)), .nextURL(.body(let path)): found = path.first(in: root)
        case .syncToken(let path, let more):
            guard more.first(in: root)?.bool == true else { return nil }
            found = path.first(in: root)
        case .token(.header(let name)), .nextURL(.header(let name)): return response.header(name)
        case .linkHeader: return LinkHeader.next(response.allValues(of: "Link"))
        case .single, .token(.lastRecord), .token(.sum), .nextURL(.firstOf), .offset, .number,
            .keyset:
            return nil
        }
        guard let text = found?.string ?? found?.numberText, !text.isEmpty else { return nil }
        return text
    }

    /// The page with another position for the next.
    func replacingNext(in response: HTTPResponse, with next: String) -> HTTPResponse {
        var response = response
        switch page.style {
        case .token(.body(let path)), .nextURL(.body(let path)), .syncToken(let path, _):
            guard let root = (try? JSONDocument(parsing: response.body))?.root.value else { break }
            response.body = root.changing(path.steps[...]) { _ in .string(next) }.bytes
        case .token(.header(let name)), .nextURL(.header(let name)):
            response.headers.removeAll { $0.name.lowercased() == name.lowercased() }
            response.headers.append(HTTPHeader(name, next))
        case .linkHeader:
            response.headers.removeAll { $0.name.lowercased() == "link" }
            response.headers.append(HTTPHeader("Link", "<\(next)>; rel=\"next\""))
        case .single, .token(.lastRecord), .token(.sum), .nextURL(.firstOf), .offset, .number,
            .keyset:
            break
        }
        return response
    }

    /// Its next position is a whole address.
    var continuesByAddress: Bool {
        switch page.style {
        case .nextURL, .linkHeader: true
        default: false
        }
    }

    /// A page can be put into its pass by a made-up position.
    var allowsInjection: Bool {
        switch page.style {
        case .token(.body), .token(.header), .nextURL(.body), .nextURL(.header), .linkHeader,
            .syncToken:
            true
        case .single, .token(.lastRecord), .token(.sum), .nextURL(.firstOf), .offset, .number,
            .keyset:
            false
        }
    }
}

extension JSONValue {
    /// A copy with every value that the steps lead to changed.
    fileprivate func changing(
        _ steps: ArraySlice<Path.Step>, _ change: (JSONValue) -> JSONValue
    ) -> JSONValue {
        guard let step = steps.first else { return change(self) }
        let rest = steps.dropFirst()
        switch (step, self) {
        case (.member(let name), .object(let members)):
            return .object(
                members.map { member in
                    guard member.name == name else { return member }
                    return JSONMember(name, member.value.changing(rest, change))
                })
        case (.each, .array(let elements)):
            return .array(elements.map { $0.changing(rest, change) })
        case (.element(let name, let value), .array(var elements)):
            guard let index = elements.firstIndex(where: { $0.has(name, value) }) else {
                return self
            }
            elements[index] = elements[index].changing(rest, change)
            return .array(elements)
        default: return self
        }
    }

    private func has(_ name: String, _ value: String) -> Bool {
        members?.contains { $0.name == name && ($0.value.string ?? $0.value.text) == value }
            ?? false
    }
}
