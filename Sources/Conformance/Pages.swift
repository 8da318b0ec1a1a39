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

    /// The entities whose page this may be: by method, literal path and the array of its records.
    ///
    /// Entities of one source may ask the same address; then their pages look the same as well.
    func owners(of request: HTTPRequest, _ response: HTTPResponse) -> [Entity] {
        guard (200..<300).contains(response.status),
            let document = try? JSONDocument(parsing: response.body)
        else { return [] }
        return entities.filter { entity in
            entity.requests.contains {
                $0.method == request.method && entity.isAsked(by: request.url, $0)
            }
                && entity.arrayPath.nodes(in: document.root).contains { $0.kind != .null }
        }
    }

    /// Records in a page of the entity.
    func records(in response: HTTPResponse, of entity: Entity) -> Int {
        guard let document = try? JSONDocument(parsing: response.body) else { return 0 }
        return entity.records.at.nodes(in: document.root).count
    }

    /// The answer with the arrays of records changed; as it came when it can't be.
    func changing(
        _ response: HTTPResponse, of owners: [Entity], _ change: ([JSONValue]) -> [JSONValue]
    ) -> HTTPResponse {
        guard var value = (try? JSONDocument(parsing: response.body))?.root.value else {
            return response
        }
        // Entities that look the same must not have the same array changed twice.
        for path in Set(owners.filter(\.records.at.hasEach).map(\.arrayPath)) {
            value = value.changing(path.steps[...]) { found in
                guard case .array(let elements) = found else { return found }
                return .array(change(elements))
            }
        }
        var response = response
        response.body = value.bytes
        return response
    }
}

extension Entity {
    /// Where the array of its records is: up to the last `[]`.
    fileprivate var arrayPath: Path {
        guard let last = records.at.steps.lastIndex(of: .each) else { return records.at }
        return Path(steps: Array(records.at.steps[..<last]))
    }

    /// The address has the beginning of the path, or is one that the source gave.
    fileprivate func isAsked(by url: String, _ request: Request) -> Bool {
        if continuesByAddress { return true }
        guard case .literal(let text)? = request.path.pieces.first else { return true }
        return url.contains(text)
    }

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
        case .single, .token(.lastRecord), .offset, .number, .keyset: return nil
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
        case .single, .token(.lastRecord), .offset, .number, .keyset: break
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
        case .token(.body), .token(.header), .nextURL, .linkHeader, .syncToken: true
        case .single, .token(.lastRecord), .offset, .number, .keyset: false
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
        default: return self
        }
    }
}
