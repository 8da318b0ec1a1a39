/// What a page's style and the rest of a whole entity must agree on.
extension NodeReading {
    func checkPageSigns(_ entity: Entity, _ written: Node) {
        checkContinuation(entity, written)
        checkLines(entity, written)
        checkSum(entity, written)
    }

    /// A body of lines is one list and says nothing beside it.
    private func checkLines(_ entity: Entity, _ written: Node) {
        guard entity.records.areLines, let page = written["page"] else { return }
        let words = "the lines of a body are records, and say nothing of a page"
        switch entity.page.style {
        case .token(.body), .token(.sum), .nextURL(.body), .nextURL(.firstOf), .keyset(.body, _),
            .syncToken:
            add(page["style"] ?? page, words)
        default: break
        }
        for key in ["more_at", "more_if", "last_at", "next_at", "total_at", "resume_at"] {
            if let node = page[key] { add(node, words) }
        }
        for (rule, node) in zip(entity.errors, written["errors"]?.elements ?? [])
        where rule.body != nil {
            add(node["body"] ?? node, words)
        }
    }

    /// A sum of numbers alone names one page for ever.
    private func checkSum(_ entity: Entity, _ written: Node) {
        guard case .token(.sum) = entity.page.style,
            let sum = written["page"]?["token_at"]?["sum"],
            sum.elements.allSatisfy({ Int($0.scalarText ?? "") != nil })
        else { return }
        add(sum, "a sum needs a place in the body, else each page has the same")
    }

    /// Other styles ask for each page as for the first one.
    private func checkContinuation(_ entity: Entity, _ written: Node) {
        guard entity.continuation != nil, let node = written["continue"] else { return }
        switch entity.page.style {
        case .token, .syncToken: break
        default:
            add(node, "only a page of style token or sync_token goes on by another request")
        }
    }
}
