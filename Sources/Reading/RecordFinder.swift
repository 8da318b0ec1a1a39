import JSON
import JobFiles

/// What a page shows.
struct FoundRecords {
    /// Its records.
    var records: [FoundValue]
    /// The elements of the outermost list, by which a source counts its pages: where records lie inside them, one may
    /// hold many records, or none.
    var listed: [FoundValue]
    /// Inner lists that say that they go on.
    var cut = CutLists()
}

/// Lists inside records that say of themselves that they show a part.
public struct CutLists: Sendable, Equatable {
    /// How many.
    public private(set) var count = 0
    /// Where the first one is, and by what it says so, such as `lines.data goes on (has_more)`.
    public private(set) var example = ""

    mutating func add(_ path: some Sequence<Path.Step>, _ sign: String) {
        if count == 0 { example = "\(Path(steps: Array(path))) goes on (\(sign))" }
        count += 1
    }
}

/// Finds where a page's records are.
struct RecordFinder: Sendable {
    /// Ten times the largest `size`, for each record takes room in every column.
    private static let recordsMax = 100_000

    let records: Records

    /// Finds the records of a page.
    ///
    /// In a nested path a parent may have no children, and a page no parents. Throws `PageError.malformed` where the path
    /// leads to no array: taken for an empty page, it would end the pass.
    func find(in root: JSONNode, _ tree: JSONTree) throws -> FoundRecords {
        var found = [FoundValue(root.treeIndex)]
        var containers: [FoundValue] = []
        var listed: [FoundValue]?
        var cut = CutLists()
        for (index, step) in records.at.steps.enumerated() {
            switch step {
            case .member(let name):
                containers = found
                let name = Array(name.utf8)
                let members = found.compactMap { $0.member(name, tree) }
                if members.isEmpty, !found.isEmpty { try checkMayBeAbsent(root, tree) }
                found = members
            case .element(let name, let value):
                containers = []
                found = found.compactMap { $0.element(name, value, tree) }
                if found.isEmpty { try checkMayBeAbsent(root, tree) }
            case .each:
                guard found.allSatisfy({ isList($0, tree) }) else { throw noArray }
                if listed != nil { noteCut(containers, before: index, tree, &cut) }
                found = found.flatMap { $0.elements(tree, takesValues: records.countsValuesAsList) }
                listed = listed ?? found
                containers = []
                guard found.count <= Self.recordsMax else {
                    throw PageError.malformed("the page has more than \(Self.recordsMax) records")
                }
            }
        }
        return FoundRecords(records: found, listed: listed ?? found, cut: cut)
    }

    /// Looks at the objects that hold nothing but an inner list and what is to say of it.
    ///
    /// An array that lies on the record itself has the record's own members beside it, whose totals are of other things.
    private func noteCut(
        _ containers: [FoundValue], before index: Int, _ tree: JSONTree, _ cut: inout CutLists
    ) {
        let steps = records.at.steps
        let start = steps[..<index].lastIndex(of: .each).map { $0 + 1 } ?? 0
        guard index - start >= 2, case .member(let name) = steps[index - 1] else { return }
        let member = Array(name.utf8)
        for container in containers {
            guard let list = container.member(member, tree) else { continue }
            let signs = MoreSigns(tree, shown: tree.node(at: list.index).count)
            if let sign = signs.first(in: container.index) {
                cut.add(steps[start..<index], sign)
            }
        }
    }

    private func isList(_ found: FoundValue, _ tree: JSONTree) -> Bool {
        let kind = tree.kind(at: found.index)
        return kind == .array
            || kind == .object && (records.countsOneAsList || records.countsValuesAsList)
    }

    /// Throws unless the file says that a list which is not there is an empty one, and the answer tells of no failure.
    private func checkMayBeAbsent(_ root: JSONNode, _ tree: JSONTree) throws {
        guard records.absentIsEmpty, root.kind == .object else { throw noArray }
        for name in ["error", "errors"] {
            guard let said = root[name], said.kind != .null, said.bool != false, said.string != "",
                said.kind != .array || said.count > 0
            else { continue }
            throw PageError.malformed(
                "the page has no array at \(records.at), but \(name): \(said.excerpt)")
        }
    }

    private var noArray: PageError {
        .malformed("the page has no array at \(records.at)")
    }
}
