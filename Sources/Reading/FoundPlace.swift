import JSON

/// A record on a page, and the record it lies in.
struct FoundPlace {
    let place: Int
    /// The record that `place` is, or is a part of.
    let owner: Int
    let parent: Int?

    init(_ place: Int) { self.init(place, owner: place, parent: nil) }

    private init(_ place: Int, owner: Int, parent: Int?) {
        self.place = place
        self.owner = owner
        self.parent = parent
    }

    func member(_ name: [UInt8], _ places: JSONPlaces) -> FoundPlace? {
        guard let member = places.member(name, of: place), places.kind(at: member) != .null else {
            return nil
        }
        return FoundPlace(member, owner: owner, parent: parent)
    }

    /// The elements of an array; an object is the one element of a list that the source left out.
    func elements(_ places: JSONPlaces) -> [FoundPlace] {
        guard places.kind(at: place) == .array else {
            return [FoundPlace(place, owner: place, parent: owner)]
        }
        var elements: [FoundPlace] = []
        elements.reserveCapacity(places.node(at: place).count)
        places.forEachElement(of: place) {
            elements.append(FoundPlace($0, owner: $0, parent: owner))
        }
        return elements
    }
}
