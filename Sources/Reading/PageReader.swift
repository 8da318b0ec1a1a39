public import Basics
public import HTTP
public import JSON
public import JobFiles

/// One page as it was read: its records, and where the pass goes on.
public struct ReadPage: Sendable {
    /// The records, and what becomes of each.
    public var batch: RecordBatch
    /// Where the pass goes on, or that it ends here.
    public var next: NextPosition
    /// Stands for the records it shows, where a source might show the same ones again and again.
    public var keys: Int?

    /// A page that shows `batch` and leads to `next`.
    public init(batch: RecordBatch, next: NextPosition, keys: Int? = nil) {
        self.batch = batch
        self.next = next
        self.keys = keys
    }
}

/// Turns one entity's answers into pages: the one door of this room.
///
/// Pure: it asks nobody and keeps nothing between pages.
public struct PageReader: Sendable {
    private let entity: Entity
    private let records: RecordReader
    private let signInName: String?

    /// Reads as `entity` declares.
    ///
    /// `classifier` knows a preset's own words for deletions and failures. Records that `isTooOld`
    /// holds for are left out. `signInName` is the query parameter that signs in, which a page's
    /// address may repeat and no checkpoint may keep. Times that name no offset are of `zone`.
    public init(
        _ entity: Entity, _ classifier: (any RecordClassifier)? = nil, isTooOld: [AgeTest] = [],
        signInName: String? = nil, zone: TimeZone? = nil
    ) {
        self.entity = entity
        self.signInName = signInName
        records = RecordReader(entity, classifier, isTooOld: isTooOld, zone: zone)
    }

    /// Reads an answer whole: `root` is its body, `url` where it came from, `position` what was asked for.
    ///
    /// `begun` is when the pass began and `now` when the answer came, microseconds since 1970. `fullPage` is the most
    /// records that a page has had which led on to another, `cut` the inner lists that go on all the same, where
    /// `innerLists` were read on.
    ///
    /// Throws `PageError`.
    public func read(
        _ root: JSONNode, of response: HTTPResponse, from url: String, at position: String?,
        begun: Int64, now: Int64 = .max, fullPage: Int = 0, cut: CutLists? = nil
    ) throws -> ReadPage {
        let batch = try records.read(root, begun: begun, now: now, cut: cut)
        let facts = PageFacts(
            root: root, response: response, url: url, position: position,
            recordCount: batch.listed, fullPage: fullPage, begun: begun,
            positions: batch.positions,
            lastRecord: entity.page.continuesFromLastRecord ? try records.last(root) : nil,
            around: entity.records.aroundList)
        return ReadPage(
            batch: batch, next: try entity.page.position(after: facts, signInName: signInName),
            keys: entity.page.isCounted || entity.page.end == .repeated
                ? try records.keysHash(root) : nil)
    }

    /// The page's inner lists that go on, to be read on before the page is read; nil when none is, or nobody knows how.
    ///
    /// Throws `PageError`.
    public func innerLists(in root: JSONNode, from url: String) throws -> InnerLists? {
        try InnerLists(entity, in: root, from: url, signInName: signInName)
    }

    /// The page's long texts that are kept as assets, to be fetched before the page is read; nil when there are none.
    public func assetTexts(in root: JSONNode) -> AssetTexts? {
        AssetTexts(entity, in: root, at: entity.records.at)
    }

    /// The same of an answer that holds looked-up records.
    public func assetTexts(ofLookedUp root: JSONNode) -> AssetTexts? {
        AssetTexts(entity, in: root, at: Path(steps: [.member("records"), .each]))
    }

    /// Every text of an answer that stands where a record brings a secret, whatever becomes of the record: to be kept
    /// out of all texts before anything else is made of the answer.
    ///
    /// Throws `PageError` where more records bring one than a page's may.
    public func secretValues(_ root: JSONNode) throws -> Set<[UInt8]> {
        try entity.records.secrets.isEmpty ? [] : records.secretValues(root)
    }

    /// Reads records that stand on no page, such as looked-up ones.
    public func read(_ nodes: [JSONNode]) -> RecordBatch { records.read(nodes) }
}
