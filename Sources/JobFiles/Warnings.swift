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
        let order = entity.request.query.first { parameter in
            ordering.contains { parameter.name.lowercased().contains($0) }
        }
        let location = file.root?.entity(named: entity.name)
        guard let order else {
            return file.mistake(
                at: location?["request"] ?? location,
                "\(risk); the request does not say which order the list has: ask for one that never "
                    + "changes, such as by id")
        }
        let value = fixedParts(of: order.value)
        guard changing.contains(where: value.contains) || entity.orders(by: value) else {
            return nil
        }
        return file.mistake(
            at: location?["request"]?["query"]?[order.name] ?? location,
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
        case .token(.lastRecord): false
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
