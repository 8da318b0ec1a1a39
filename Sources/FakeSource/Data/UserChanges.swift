/// What a commanded change does to a user.
extension User {
    /// Makes a commanded change; the ids it touched.
    func apply(_ change: Change) throws(BadRequest) -> [String] {
        switch change {
        case .add(let count, let time, let spacing, let clean):
            return add(count, at: time ?? wallClock(), spacing: spacing, clean: clean)
        case .addAtReconcile(let count):
            pendingVideos += count
            return []
        case .edit(let targets, let name, let value, let feedTitle):
            let indices = try indices(of: targets)
            for index in indices {
                edit(index, name: name, value: value, feedTitle: feedTitle)
            }
            return indices.map { Catalogue.videoID(key, $0) }
        case .remove(let targets, let tombstone):
            let indices = try indices(of: targets)
            for index in indices { remove(index, tombstone: tombstone) }
            return indices.map { Catalogue.videoID(key, $0) }
        }
    }

    private func indices(of targets: Change.Targets) throws(BadRequest) -> [Int] {
        switch targets {
        case .count(let count): return someLive(count)
        case .id(let id):
            guard let index = index(of: id) else { throw BadRequest("\(name) has no '\(id)'") }
            return [index]
        }
    }
}
