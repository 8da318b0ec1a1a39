/// Where a pass continues.
enum Position {
    /// After this video, in (time, index) order.
    case video(Milliseconds, Int)
    /// After this seq.
    case seq(Int)
}

/// A window of items and whether more follow.
struct Page<Item> {
    var items: [Item] = []
    var hasMore = false
    /// The first item not in the page.
    var following: Item?
}

extension User {
    /// Videos published at `since` or later, after the position, in (time, id) order.
    func videos(since: Milliseconds?, after: Position?, limit: Int) -> Page<Video> {
        var floor = since ?? .min
        var last: (Milliseconds, Int) = (.min, -1)
        if case .video(let time, let index)? = after {
            last = (time, index)
            floor = max(floor, time)
        }
        var base = firstBase(from: floor)
        var extra = partition(added.count) { added[$0].publishedAt >= floor }
        var page = Page<Video>()
        while let video = nextVideo(&base, &extra) {
            if (video.publishedAt, video.index) <= last { continue }
            if page.items.count == limit {
                page.hasMore = true
                page.following = video
                break
            }
            page.items.append(video)
        }
        return page
    }

    private func nextVideo(_ base: inout Int, _ extra: inout Int) -> Video? {
        while base < baseCount, removed.contains(base) { base += 1 }
        while extra < added.count, removed.contains(added[extra].index) { extra += 1 }
        let fromAdded = extra < added.count ? added[extra] : nil
        guard base < baseCount else {
            extra += 1
            return fromAdded.map(shown)
        }
        if let fromAdded,
            (fromAdded.publishedAt, fromAdded.index) < (publishedAt(base: base), base)
        {
            extra += 1
            return shown(fromAdded)
        }
        base += 1
        return shown(baseVideo(base - 1))
    }

    private func shown(_ video: Video) -> Video {
        guard let title = edits[video.index]?.feedTitle else { return video }
        var edited = video
        edited.title = title
        return edited
    }

    /// Every live video as first published, in (time, id) order.
    func forEachLiveVideo(_ body: (Video) -> Void) {
        var base = 0
        var extra = 0
        while base < baseCount || extra < added.count {
            let takesAdded =
                base >= baseCount
                || (extra < added.count && added[extra].publishedAt < publishedAt(base: base))
            let video = takesAdded ? added[extra] : baseVideo(base)
            if takesAdded { extra += 1 } else { base += 1 }
            if !removed.contains(video.index) { body(video) }
        }
    }

    /// Records updated at `since` or later with a greater seq, skipping the first `offset`.
    func records(since: Milliseconds?, afterSeq: Int, offset: Int = 0, limit: Int) -> Page<Record> {
        var page = Page<Record>()
        var toSkip = offset
        var index = max(afterSeq, 0)
        if let since { index = max(index, firstBase(from: since)) }
        if moved.isEmpty, toSkip > 0 {
            index = min(baseCount, index + min(toSkip, baseCount))
            toSkip = 0
        }
        func take(_ record: @autoclosure () -> Record) -> Bool {
            if toSkip > 0 {
                toSkip -= 1
                return true
            }
            if page.items.count == limit {
                page.hasMore = true
                return false
            }
            page.items.append(record())
            return true
        }
        while index < baseCount {
            if isUnmoved(index), !take(record(base: index)) { return page }
            index += 1
        }
        for move in moved where move.seq > afterSeq && move.updatedAt >= since ?? .min {
            if !take(record(move.index, move)) { return page }
        }
        return page
    }

    /// How many records `records(since:…)` has from its beginning.
    func recordCount(since: Milliseconds?) -> Int {
        guard let since else { return baseCount - movedBaseCount + moved.count }
        let first = firstBase(from: since)
        let base = (first..<max(first, baseCount)).reduce(0) { $0 + (isUnmoved($1) ? 1 : 0) }
        return base + moved.reduce(0) { $0 + ($1.updatedAt >= since ? 1 : 0) }
    }
}
