import JSON
import JobFiles

/// A value on a page, and the record that it lies in.
struct FoundValue {
    let index: Int
    /// The index of the record that the value is, or is a part of.
    let owner: Int
    let parent: Int?

    init(_ index: Int) { self.init(index, owner: index, parent: nil) }

    private init(_ index: Int, owner: Int, parent: Int?) {
        self.index = index
        self.owner = owner
        self.parent = parent
    }

    func member(_ name: [UInt8], _ tree: JSONTree) -> FoundValue? {
        guard let member = tree.member(name, of: index), tree.kind(at: member) != .null else {
            return nil
        }
        return FoundValue(member, owner: owner, parent: parent)
    }

    /// The element of an array whose member has that value.
    func element(_ name: String, _ value: String, _ tree: JSONTree) -> FoundValue? {
        tree.node(at: index).element(name, value)
            .map { FoundValue($0.treeIndex, owner: owner, parent: parent) }
    }

    /// The elements of an array; an object is the one element of a list that the source left out, or a list of what its
    /// members hold.
    func elements(_ tree: JSONTree, takesValues: Bool = false) -> [FoundValue] {
        guard tree.kind(at: index) == .array else {
            guard takesValues else { return [FoundValue(index, owner: index, parent: owner)] }
            return tree.node(at: index).members.map {
                FoundValue($0.value.treeIndex, owner: $0.value.treeIndex, parent: owner)
            }
        }
        var elements: [FoundValue] = []
        elements.reserveCapacity(tree.node(at: index).count)
        tree.forEachElement(of: index) {
            elements.append(FoundValue($0, owner: $0, parent: owner))
        }
        return elements
    }
}
