import Basics
import HTTP
import JSON
import JobFiles
import JobQueue
import Writing

/// What one pass reads: an entity, or the part of it that one item of its `for_each` is for.
struct EntityPart {
    /// The entity; of an item under a name of its own, with the item's values in its fields.
    var entity: Entity
    /// The entity as the file declares it, whose statements all items share.
    var declared: Entity
    /// The item; nil where the entity has one pass.
    var item: Item?
    /// The item is none any more: the pass asks for nothing and shows nothing, so that its rows go as a sweep has them go.
    var gone: Sweep.GoneItem?
    /// Whether its item is none any more.
    var isGone: Bool { gone != nil }
    /// Why the item can have no pass, which is its own failure; nil where it can.
    var refusal: RunEnd?

    /// The whole of an entity.
    init(_ entity: Entity) {
        self.entity = entity
        declared = entity
    }

    /// One item's part.
    init(_ entity: Entity, of item: Item) {
        self.init(entity)
        self.item = item
        self.entity.name = item.checkpointName(of: entity)
        if item.isTooLong(for: entity) {
            refusal = .failed(
                .malformed, "for_each: an item is longer than \(Item.nameBytesMax) bytes")
        }
        for index in entity.records.fields.indices {
            let field = entity.records.fields[index]
            guard case .item(let name)? = field.made, let value = item.values[name] else {
                continue
            }
            guard let kept = value.kept(as: field.kind) else {
                refusal = .failed(
                    .malformed,
                    "for_each: an item is no \(field.kind.rawValue), as field \"\(field.name)\" wants it"
                )
                return
            }
            self.entity.records.fields[index].defaultValue = kept
        }
    }

    /// What is left of an item that is none any more, by the name of its checkpoint.
    init?(_ entity: Entity, _ rule: ForEach, goneAs name: String) {
        guard let item = Item(checkpointName: name, of: entity) else { return nil }
        self.init(entity, of: item)
        guard refusal == nil else { return nil }
        gone = rule.provesAbsence ? .proven : .looked
    }
}

/// One item of a `for_each`, a pair of two sources' ones, or a chunk.
struct Item {
    /// Its values' texts, in the order of the names.
    var texts: [String] = []
    /// What `{each.x}` stands for.
    var values: [String: JSONValue] = [:]
    /// The items of a chunk: `{chunk}`.
    var chunk: [String]?
    /// Another text as soon as its row is not as it was; nil where nobody asks.
    var stamp: String?
    /// The run has just lacked its row, which waits for a second look: what is below it is not asked for in this run.
    var isLacking = false

    /// A name of this many bytes still is a key of the checkpoints' index.
    static let nameBytesMax = 1_000

    /// One value.
    init(_ name: String, _ value: JSONValue) {
        texts = [value.plainText]
        values = [name: value]
    }

    /// A chunk of several.
    init(chunk: [String]) { self.chunk = chunk }

    /// The values of a row's columns.
    init(_ values: [(name: String, value: JSONValue)], stamp: String?, isLacking: Bool) {
        texts = values.map(\.value.plainText)
        self.values = Dictionary(values, uniquingKeysWith: { $1 })
        self.stamp = stamp
        self.isLacking = isLacking
    }

    /// What stood behind `#` in the name of a checkpoint; nil where it is none of such an entity's items.
    init?(checkpointName name: String, of entity: Entity) {
        guard let names = entity.forEach?.names, name.hasPrefix("\(entity.name)#") else {
            return nil
        }
        let parts = name.dropFirst(entity.name.count + 1)
            .split(separator: ",", omittingEmptySubsequences: false)
        let decoded = parts.compactMap { percentDecoded(String($0)) }
        guard decoded.count == names.count else { return nil }
        texts = decoded
        values = Dictionary(
            zip(names, decoded.map(JSONValue.string)), uniquingKeysWith: { $1 })
    }

    /// The pair with an item of another source.
    func paired(with other: Item) -> Item {
        var pair = self
        pair.texts += other.texts
        pair.values.merge(other.values) { $1 }
        pair.isLacking = isLacking || other.isLacking
        let stamps = [stamp, other.stamp].compactMap(\.self)
        pair.stamp = stamps.isEmpty ? nil : stamps.joined(separator: " ")
        return pair
    }

    /// The name of its checkpoint, which shows the item; of a chunk, and of an item that is too long, a hash.
    func checkpointName(of entity: Entity) -> String {
        let name =
            chunk.map { stableHash($0.joined(separator: "\n")) }
            ?? (isTooLong(for: entity) ? stableHash(words) : words)
        return "\(entity.name)#\(name)"
    }

    /// Its checkpoint could not be called as it is.
    func isTooLong(for entity: Entity) -> Bool {
        chunk == nil && entity.name.utf8.count + 1 + words.utf8.count > Self.nameBytesMax
    }

    /// Its texts as one that can be taken apart again.
    private var words: String {
        texts.map { percentEncode(queryValue: $0) }.joined(separator: ",")
    }
}

extension JSONValue {
    /// A text, a number or a truth as one text.
    fileprivate var plainText: String { string ?? text }

    /// As a field of this type holds it; nil where it is none.
    fileprivate func kept(as kind: Field.Kind) -> JSONValue? {
        let text = plainText
        switch kind {
        case .text, .url: return .string(text)
        case .int: return Int64(text).map(JSONValue.integer)
        case .double, .decimal, .duration: return isJSONNumber(text) ? .number(text) : nil
        case .bool: return ["true", "false"].contains(text) ? .bool(text == "true") : nil
        case .timestamp, .json: return nil
        }
    }
}
