import HTTP
public import JSON
import JobFiles

/// A page's inner lists that go on, where `records.rest` says how: asked for one after the other, and put where they
/// belong.
///
/// The page with its lists made whole is read like one that has come whole, so that their elements know the record
/// around them. Pure: the caller sends what `next` names.
public struct InnerLists {
    /// Addresses that are asked for one page; a source that names more goes round.
    private static let asksMax = 1000

    private let rest: Rest
    private let page: JSONNode
    private let signInName: String?
    /// Those whose rest is asked for, in the page's order.
    private var open: [OpenList] = []
    /// How many of them are settled.
    private var settled = 0
    private var asked: Set<String> = []
    /// Lists whose rest is not known.
    public private(set) var cut = CutLists()

    private struct OpenList {
        /// The array on the page.
        let list: JSONNode
        /// Where its rest begins.
        let address: String
        /// What is to be asked for next.
        var next: String
        /// What belongs behind the elements of the page, with commas.
        var elements: [UInt8] = []
        /// Elements that are known, those of the page among them.
        var count: Int
    }

    /// Finds the lists that go on; nil when there is none, or the file does not say how.
    ///
    /// `url` is where the page came from. Throws `PageError` for an address on another origin.
    init?(_ entity: Entity, in root: JSONNode, from url: String, signInName: String?) throws {
        guard let rest = entity.records.rest, let inner = entity.records.at.innerList,
            let outer = entity.records.at.steps.firstIndex(of: .each)
        else { return nil }
        self.rest = rest
        page = root
        self.signInName = signInName
        let around = Path(steps: Array(inner.steps.dropLast()))
        for record in Path(steps: Array(entity.records.at.steps[...outer])).nodes(in: root) {
            let list = inner.first(in: record)
            let sign =
                around.steps.isEmpty
                ? nil
                : around.first(in: record)
                    .flatMap { MoreSigns.first(around: $0, shown: list?.count ?? 0) }
            let address = try rest.urlAt.first(in: record)?.string
                .flatMap { try resolved($0, against: url) }
            if let address, let list, list.kind == .array,
                let next = rest.start(at: address, behind: list, goesOn: sign != nil)
            {
                open.append(OpenList(list: list, address: address, next: next, count: list.count))
            } else if let sign {
                cut.add(inner.steps, sign)
            }
        }
        guard !open.isEmpty || cut.count > 0 else { return nil }
    }

    /// The address to be asked for; nil when every list is settled.
    public var next: String? { settled < open.count ? open[settled].next : nil }

    /// Takes in the answer to `next`, which came from `url`.
    ///
    /// Throws `PageError` where it holds no list, shows nothing though the list goes on, or leads back.
    public mutating func take(_ root: JSONNode, from url: String) throws {
        let array = Path(steps: Array(rest.at.steps.dropLast())).first(in: root)
        guard let array, array.kind == .array else {
            throw PageError.malformed("the rest of an inner list has no array at \(rest.at)")
        }
        for element in array.elements {
            if open[settled].count > 0 { open[settled].elements.append(UInt8(ascii: ",")) }
            open[settled].elements += element.rawBytes
            open[settled].count += 1
        }
        asked.insert(open[settled].next)
        guard let following = try following(root, array, from: url) else {
            settled += 1
            return
        }
        guard !asked.contains(following) else {
            throw PageError.cursorLoop(
                "the rest of an inner list leads back to an address that was asked for already")
        }
        guard asked.count < Self.asksMax else {
            throw PageError.malformed(
                "the inner lists of the page go on over more than \(Self.asksMax) answers; a smaller page.size has fewer"
            )
        }
        open[settled].next = following
    }

    /// The source has not got what `next` names, and said so with `status`.
    public mutating func giveUp(status: Int) {
        cut.add(rest.urlAt.steps, "its rest is answered with \(status)")
        settled += 1
    }

    /// The page with everything in its lists that was taken in.
    public var wholePage: [UInt8] {
        let bytes = page.rawBytes
        var whole: [UInt8] = []
        var start = bytes.startIndex
        for list in open {
            let end = list.list.rawBytes.endIndex - 1
            whole += bytes[start..<end]
            whole += list.elements
            start = end
        }
        return whole + bytes[start...]
    }

    /// Where the list goes on behind an answer; nil when it ends there.
    private mutating func following(
        _ root: JSONNode, _ array: JSONNode, from url: String
    ) throws -> String? {
        let around = Path(steps: Array(rest.at.steps.dropLast(2))).first(in: root) ?? root
        let sign = MoreSigns.first(around: around, shown: open[settled].count)
        switch rest.next {
        case .url(let path):
            if let next = path.first(in: root)?.string,
                let address = try resolved(next, against: url)
            {
                return address
            }
        case .after where sign != nil:
            let address = open[settled].address
            guard let next = rest.start(at: address, behind: array, goesOn: true) else {
                throw PageError.malformed(
                    "the rest of an inner list says that it goes on (\(sign ?? "")), and has no last element to ask behind"
                )
            }
            return next
        case .after, nil: break
        }
        if let sign { cut.add(rest.urlAt.steps, sign) }
        return nil
    }

    /// A whole address at the origin of the answer that named it, without the sign-in it may repeat; nil when the text
    /// is empty.
    private func resolved(_ reference: String, against url: String) throws -> String? {
        guard !reference.isEmpty else { return nil }
        guard let whole = Origin.resolve(reference, against: url) else {
            throw PageError.malformed("the address of an inner list's rest is not one")
        }
        guard let origin = Origin(url: whole), origin == Origin(url: url) else {
            throw PageError.foreignOrigin("the rest of an inner list is on another origin")
        }
        return signInName.map { withoutParameter($0, in: whole) } ?? whole
    }
}

extension Rest {
    /// What is asked for behind the elements that a list has shown; nil when the list ends with them, or nobody knows
    /// where it goes on.
    fileprivate func start(at address: String, behind list: JSONNode, goesOn: Bool) -> String? {
        guard case .after(let query, let path) = next else { return address }
        guard goesOn, let last = list.elements.reduce(nil, { $1 }) as JSONNode?,
            let position = path.first(in: last), let text = position.string ?? position.numberText
        else { return nil }
        return address + (address.utf8.contains(UInt8(ascii: "?")) ? "&" : "?")
            + percentEncode(queryValue: query) + "=" + percentEncode(queryValue: text)
    }
}

extension MoreSigns {
    /// What an object says of the list in it, of which so many elements are known.
    fileprivate static func first(around object: JSONNode, shown: Int) -> String? {
        guard object.kind == .object else { return nil }
        return object.withTree { MoreSigns($0, shown: shown).first(in: object.treeIndex) }
    }
}
