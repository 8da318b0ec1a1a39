import JSON
import JobFiles

/// A text that is kept beside its record, at an address of its own.
public struct Asset: Sendable, Equatable {
    /// Where it is.
    public let address: String
    /// Its bytes, by what the record says; nil when it says nothing.
    public let size: Int?
    /// In the source's own form; nil when there is none.
    public let checksum: String?
}

/// Long texts of a page's records that Core Data keeps as assets: asked for one after the other, and put where they
/// belong.
///
/// The page with its texts is read like one that has come whole. A text that can't be had becomes a value that can't be
/// read, and says why. Pure: the caller sends what `next` names.
public struct AssetTexts {
    /// Bytes of one text as JSON, as many as a stored value may have.
    public static let bytesMax = 1 << 20
    /// Texts that are asked for one page; a page of 200 records has so many of two fields.
    private static let asksMax = 400
    /// Bytes of a page with its texts.
    private static let pageBytesMax = 16 << 20

    private let page: JSONNode
    /// In the page's order.
    private var texts: [KeptText] = []
    /// How many of them are settled.
    private var settled = 0
    private var asks = 0
    private var room: Int

    private struct KeptText {
        let place: Place
        /// Nil when it has no address.
        let asset: Asset?
        /// What the page is to have as its value.
        var value: [UInt8] = []
    }

    /// Where a text belongs.
    private enum Place {
        /// In front of a record's other fields.
        case member(String, before: Int)
        /// In place of the field without a text.
        case field(Range<Int>)

        var start: Int {
            switch self {
            case .member(_, let start): start
            case .field(let range): range.lowerBound
            }
        }
    }

    /// Finds the texts that are missing in the records to which `path` leads; nil when there are none.
    init?(_ entity: Entity, in root: JSONNode, at path: Path) {
        let names = entity.records.fields.compactMap { field in
            entity.assetName(of: field).flatMap { asset in
                field.sourceName.map { (plain: $0, asset: asset) }
            }
        }
        guard !names.isEmpty else { return nil }
        page = root
        room = Self.pageBytesMax - root.rawBytes.count
        for record in path.nodes(in: root) {
            guard let fields = record["fields"], fields.kind == .object else { continue }
            for name in names {
                guard let value = fields[name.asset]?["value"], value.kind != .null,
                    fields[name.plain]?["value"].map(\.isBlank) ?? true
                else { continue }
                let place =
                    fields[name.plain].map { field in
                        Place.field(field.rawBytes.startIndex..<field.rawBytes.endIndex)
                    } ?? .member(name.plain, before: fields.rawBytes.startIndex + 1)
                texts.append(KeptText(place: place, asset: Asset(value)))
            }
        }
        guard !texts.isEmpty else { return nil }
        texts.sort { $0.place.start < $1.place.start }
        refuseUnasked()
    }

    /// What is to be asked for; nil when every text is settled.
    public var next: Asset? { settled < texts.count ? texts[settled].asset : nil }

    /// Takes in what came for `next`; `isIntact`: its checksum is the record's, as far as anybody can tell.
    public mutating func take(_ bytes: [UInt8], isIntact: Bool) {
        asks += 1
        settle(text(of: bytes, isIntact: isIntact))
    }

    /// What `next` names can't be had, for a reason of few words.
    public mutating func giveUp(_ reason: String) {
        asks += 1
        settle(.unread(reason))
    }

    /// The page with each text, or with the reason why there is none.
    public var wholePage: [UInt8] {
        let bytes = page.rawBytes
        var whole: [UInt8] = []
        var start = bytes.startIndex
        for text in texts {
            whole += bytes[start..<text.place.start]
            switch text.place {
            case .member(let name, let place):
                whole += JSONValue.string(name).bytes + Array(#":{"value":"#.utf8)
                whole += text.value + Array("},".utf8)
                start = place
            case .field(let range):
                whole += Array(#"{"value":"#.utf8) + text.value + Array("}".utf8)
                start = range.upperBound
            }
        }
        return whole + bytes[start...]
    }

    fileprivate enum Text {
        case read([UInt8])
        case unread(String)
    }

    private func text(of bytes: [UInt8], isIntact: Bool) -> Text {
        guard bytes.count <= Self.bytesMax else { return .tooLarge(bytes.count) }
        if let size = next?.size, size != bytes.count {
            return .unread("asset of \(bytes.count) bytes; the record says \(size)")
        }
        guard isIntact else { return .unread("asset with another checksum") }
        guard let text = String(validating: bytes, as: UTF8.self) else {
            return .unread("asset that is no text in UTF-8")
        }
        let value = JSONValue.string(text).bytes
        guard value.count <= Self.bytesMax else { return .tooLarge(value.count) }
        return value.count <= room ? .read(value) : .pastPage
    }

    private mutating func settle(_ text: Text) {
        switch text {
        case .read(let value):
            texts[settled].value = value
            room -= value.count
        case .unread(let reason):
            texts[settled].value = JSONValue.array([.string(reason)]).bytes
        }
        settled += 1
        refuseUnasked()
    }

    /// Settles those that are not asked for.
    private mutating func refuseUnasked() {
        while settled < texts.count, let refusal = refusal(of: texts[settled].asset) {
            texts[settled].value = JSONValue.array([.string(refusal)]).bytes
            settled += 1
        }
    }

    private func refusal(of asset: Asset?) -> String? {
        guard let asset else { return "asset without an address" }
        let size = asset.size ?? 0
        if size > Self.bytesMax { return Text.tooLarge(size).reason }
        return asks < Self.asksMax && size <= room ? nil : Text.pastPage.reason
    }
}

extension AssetTexts.Text {
    fileprivate static func tooLarge(_ bytes: Int) -> Self {
        .unread("asset of \(bytes) bytes; \(AssetTexts.bytesMax) are the most")
    }

    fileprivate static var pastPage: Self { .unread("asset past the most of a page") }

    fileprivate var reason: String? {
        if case .unread(let reason) = self { reason } else { nil }
    }
}

extension Asset {
    /// Nil when the value has no address.
    fileprivate init?(_ value: JSONNode) {
        guard let address = value["downloadURL"]?.string, !address.isEmpty else { return nil }
        // Apple leaves it to who asks what the file is to be called.
        self.address = address.replacing("${f}", with: "text")
        size = value["size"]?.int
        checksum = value["fileChecksum"]?.string
    }
}

extension JSONNode {
    /// No text stands there.
    fileprivate var isBlank: Bool { kind == .null || string == "" }
}
