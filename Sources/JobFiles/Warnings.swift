import JSON

/// Words in the name of a query parameter that orders a list.
private let ordering = ["sort", "order"]
/// Words in its value that tell of something which changes while the list is read.
private let changing = [
    "updat", "modif", "chang", "touch", "last", "recent", "activ", "seen", "score", "rank",
    "popular",
    "trend", "view", "count",
]

/// Counted pages of a list whose order changes lose records at their borders, and what deletes by
/// absence then deletes rows that live.
func orderWarnings(_ job: JobFile, _ file: ReadFile) -> [Mistake] {
    job.entities.compactMap { entity in
        guard entity.deletesByAbsence, entity.countsPages else { return nil }
        let query = entity.request.query.map { ($0.name, fixedParts(of: $0.value)) }
        let order = (query + (entity.request.body?.namedTexts ?? [])).first { parameter in
            ordering.contains { parameter.0.lowercased().contains($0) }
        }
        let location = file.root?.entity(named: entity.name)
        guard let (name, value) = order else {
            return file.mistake(
                at: location?["request"] ?? location,
                "\(risk); the request does not say which order the list has: ask for one that never "
                    + "changes, such as by id")
        }
        guard changing.contains(where: value.contains) || entity.orders(by: value) else {
            return nil
        }
        return file.mistake(
            at: location?["request"]?["query"]?[name] ?? location?["request"]?["body"] ?? location,
            "\(risk); \"\(excerpt(of: value))\" changes while the list is read: ask for an order that "
                + "never changes, such as by id")
    }
}

/// A source that names the next page may name it elsewhere than the file says.
///
/// Only who knows how many records a page holds can tell that from a list of one page.
func endWarnings(_ job: JobFile, _ file: ReadFile) -> [Mistake] {
    job.entities.compactMap { entity in
        guard entity.deletesByAbsence, entity.namesNextPage, entity.page.size == nil else {
            return nil
        }
        let location = file.root?.entity(named: entity.name)
        return file.mistake(
            at: location?["page"] ?? location,
            "page.size is missing: with it a full page that names no next one is known, after which nothing is deleted"
        )
    }
}

private let risk =
    "a record that moves between pages while they are read is shown by none, and what a pass does not "
    + "show is deleted"

/// The fixed parts of a template.
private func fixedParts(of template: Template) -> String {
    template.pieces.map { piece in
        if case .literal(let text) = piece { text.lowercased() } else { "" }
    }.joined()
}

extension Entity {
    fileprivate var deletesByAbsence: Bool {
        write.deletes?.sweeps == true || write.mode == .replaceAll
    }

    fileprivate var countsPages: Bool {
        switch page.style {
        case .offset, .number: true
        default: false
        }
    }

    /// The source names the next page, where it has one.
    fileprivate var namesNextPage: Bool {
        switch page.style {
        case .token(.lastRecord), .token(.sum): false
        case .token, .nextURL, .linkHeader, .number(_, .next), .keyset(.body, _): true
        default: false
        }
    }

    /// The order is by the field that tells versions apart.
    fileprivate func orders(by value: String) -> Bool {
        guard let name = write.newerBy, let field = records.field(named: name),
            case .member(let member)? = field.at.steps.last
        else { return false }
        return value.contains(member.lowercased())
    }
}

extension BodyTemplate {
    /// What stands in a body under each name, its fixed parts, and of a query of GraphQL what follows its order.
    fileprivate var namedTexts: [(String, String)] {
        switch self {
        case .literal(.object(let members)):
            members.flatMap {
                [($0.name, $0.value.text.lowercased())] + BodyTemplate.literal($0.value).namedTexts
            }
        case .literal(.array(let elements)):
            elements.flatMap { BodyTemplate.literal($0).namedTexts }
        case .literal(.string(let text)): Self.order(in: text.lowercased())
        case .literal: []
        case .text(let template): Self.order(in: fixedParts(of: template))
        case .array(let elements): elements.flatMap(\.namedTexts)
        case .object(let members):
            members.flatMap { [($0.name, $0.value.fixedText)] + $0.value.namedTexts }
        case .when(_, let body): body.namedTexts
        }
    }

    private var fixedText: String {
        switch self {
        case .literal(let value): value.text.lowercased()
        case .text(let template): fixedParts(of: template)
        case .array(let elements): elements.map(\.fixedText).joined(separator: " ")
        case .object(let members):
            members.map { $0.name.lowercased() + " " + $0.value.fixedText }.joined(separator: " ")
        case .when(_, let body): body.fixedText
        }
    }

    private static func order(in text: String) -> [(String, String)] {
        let places = ordering.compactMap { text.firstRange(of: $0)?.lowerBound }
        return places.min().map { [("order", String(text[$0...].prefix(60)))] } ?? []
    }
}
