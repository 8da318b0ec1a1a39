/// One user: a name and counts from which the data follows, and what commands have changed since.
///
/// Items have indices. Those below `baseCount` exist from the start; added ones follow. An item that
/// was added, edited or removed has *moved*: the generic source lists it behind all others, with a
/// new `seq`, as a change feed does.
final class User {
    let name: String
    let key: UInt64
    let baseCount: Int
    var isRegistered: Bool
    var channelCount = 0
    var channelsHash: UInt64 = 0
    /// The registered set itself, kept for the first users only.
    var channels: [String]?
    var credential = Credential.none
    var reconciledAt: Milliseconds?
    var pendingVideos = 0
    var pageScripts: [PageScript] = []
    /// Rises with every change; the generic source's ETag.
    var revision = 0

    private(set) var added: [Video] = []
    private(set) var removed: Set<Int> = []
    private(set) var edits: [Int: Edit] = [:]
    private(set) var moved: [Move] = []
    private var movedIndices: Set<Int> = []
    private var nextIndex: Int
    private var nextSeq: Int

    struct Edit {
        var version = 1
        var name: String?
        var value: Int?
        /// Shown by the feed from now on; insert-only clients keep the old one.
        var feedTitle: String?
    }

    struct Move {
        let index: Int
        let seq: Int
        let updatedAt: Milliseconds
        let isDeleted: Bool
    }

    /// Changes to make once `pages` more pages were served.
    struct PageScript {
        var pages: Int
        let change: Change
    }

    init(name: String, key: UInt64, baseCount: Int, isRegistered: Bool) {
        self.name = name
        self.key = key
        self.baseCount = baseCount
        self.isRegistered = isRegistered
        nextIndex = baseCount
        nextSeq = baseCount + 1
    }

    var liveCount: Int { baseCount + added.count - removed.count }

    var removedIDs: [String] { removed.sorted().map { Catalogue.videoID(key, $0) } }

    // MARK: Changes

    func add(_ count: Int, at time: Milliseconds, spacing: Milliseconds, clean: Bool) -> [String] {
        var ids: [String] = []
        for number in 0..<count {
            let published = time + Int64(number) * spacing
            let video = Catalogue.video(key, nextIndex, at: published, clean: clean)
            added.append(video)
            move(nextIndex, deleted: false)
            nextIndex += 1
            ids.append(video.id)
        }
        added.sort { ($0.publishedAt, $0.index) < ($1.publishedAt, $1.index) }
        return ids
    }

    func edit(_ index: Int, name: String?, value: Int?, feedTitle: String?) {
        var edit = edits[index] ?? Edit()
        edit.version += 1
        edit.name = name ?? edit.name ?? "edited \(edit.version)"
        edit.value = value ?? edit.value
        edit.feedTitle = feedTitle ?? edit.feedTitle
        edits[index] = edit
        move(index, deleted: false)
    }

    /// A tombstone stays listed as `deleted`; otherwise the item is gone without a word.
    func remove(_ index: Int, tombstone: Bool) {
        removed.insert(index)
        edits[index, default: Edit()].version += 1
        move(index, deleted: true)
        if !tombstone { moved.removeLast() }
    }

    private func move(_ index: Int, deleted: Bool) {
        if !movedIndices.insert(index).inserted { moved.removeAll { $0.index == index } }
        moved.append(Move(index: index, seq: nextSeq, updatedAt: wallClock(), isDeleted: deleted))
        nextSeq += 1
        revision += 1
    }

    /// The index of a live item.
    func index(of id: String) -> Int? {
        guard let index = Int(id.dropFirst(6), radix: 36), index >= 0, index < nextIndex,
            !removed.contains(index), Catalogue.videoID(key, index) == id
        else { return nil }
        return index
    }

    /// The `count` live items with the lowest indices not yet edited, for commands that name none.
    func someLive(_ count: Int) -> [Int] {
        Array(
            (0..<nextIndex).lazy.filter { !self.removed.contains($0) && self.edits[$0] == nil }
                .prefix(count))
    }

    func version(_ index: Int) -> Int { edits[index]?.version ?? 1 }

    // MARK: The feed's view

    func publishedAt(base index: Int) -> Milliseconds {
        Catalogue.publishedAt(key, index, of: baseCount)
    }

    func baseVideo(_ index: Int) -> Video {
        Catalogue.video(key, index, at: publishedAt(base: index), clean: false)
    }

    /// The first base index published at `time` or later.
    func firstBase(from time: Milliseconds) -> Int {
        partition(baseCount) { publishedAt(base: $0) >= time }
    }

    // MARK: The generic source's view

    /// A base item that never moved has the seq `index + 1`.
    func isUnmoved(_ index: Int) -> Bool { !movedIndices.contains(index) }

    var movedBaseCount: Int { movedIndices.reduce(0) { $0 + ($1 < baseCount ? 1 : 0) } }

    func record(base index: Int) -> Record {
        record(
            index,
            Move(
                index: index, seq: index + 1, updatedAt: publishedAt(base: index), isDeleted: false)
        )
    }

    func record(_ index: Int, _ move: Move) -> Record {
        let edit = edits[index]
        return Record(
            index: index, id: Catalogue.videoID(key, index), seq: move.seq,
            updatedAt: move.updatedAt,
            name: edit?.name ?? "Record \(index)",
            value: edit?.value ?? Int(Catalogue.randomBits(key, index, 9) % 1_000_000),
            version: edit?.version ?? 1, isDeleted: move.isDeleted)
    }
}
