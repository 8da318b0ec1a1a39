import Basics
import JSON
import JobFiles
import Postgres

/// Reads one field of a page's records straight into its column.
///
/// What has a plain form is read from the document's own bytes; all else goes through `FieldValue`.
/// A class, because a copy of its parts for each value costs more than reading most of them.
final class FieldReader: Sendable {
    /// A stored value is read again whole by whoever looks at its row; a text is no longer either.
    private static let valueBytesMax = 1 << 20
    /// So many digits of a number a double always keeps.
    private static let doubleDigits = 15

    let field: Field
    private let names: [[UInt8]]
    private let goesThroughArrays: Bool
    private let isOfParent: Bool
    let fallback: FieldValue?
    private let allowed: Set<[UInt8]>?
    /// Look where the value is when nothing is at the field's own place.
    private let others: [FieldReader]
    /// Read what the value is made of; nil when it is read as it is.
    private let parts: [FieldReader]?
    private let zone: TimeZone?
    /// A value that can't be read costs itself and not its record.
    let mayBeNull: Bool
    /// Its time says since when a record is deleted, and one by which sources write "never" is none.
    private let isSoftMark: Bool
    /// Leads to the asset in which the source keeps a text that is too long; nil when it keeps none so.
    let assetNames: [[UInt8]]?

    /// Reads as `field` declares.
    ///
    /// `isNested`: records lie inside records, so that `parent.x` is a value of the outer one. `decides`: a value
    /// that can't be read must not count as none. `zone`: of times that name no offset; nil means UTC. `isSoftMark`:
    /// it marks deleted records. `assetName`: the record's field that holds a text which is too long for its own.
    init(
        _ field: Field, isNested: Bool, zone: TimeZone?, decides: Bool, isSoftMark: Bool = false,
        assetName: String? = nil
    ) {
        self.field = field
        assetNames = assetName.map { ["fields", $0, "value"].map { Array($0.utf8) } }
        self.isSoftMark = isSoftMark
        mayBeNull = !field.required && !decides
        self.zone = zone
        var names = field.at.steps.compactMap { step in
            if case .member(let name) = step { Array(name.utf8) } else { nil }
        }
        goesThroughArrays = !field.at.steps.allSatisfy(\.isMember)
        isOfParent = isNested && field.at.steps.first == .member("parent")
        if isOfParent { names.removeFirst() }
        self.names = names
        fallback = FieldValue.fallback(of: field)
        func reader(of path: Path) -> FieldReader {
            var part = field
            (part.at, part.others, part.made, part.kind) = (path, [], nil, .json)
            return FieldReader(part, isNested: isNested, zone: nil, decides: decides)
        }
        others = field.others.map(reader)
        parts = field.made.map { $0.paths.map(reader) }
        allowed = field.oneOf.map { Set($0.map { Array($0.utf8) }) }
    }

    /// Finds the mark of an entity's deleted records; nil when it has none.
    convenience init?(flagOf entity: Entity) {
        guard let path = entity.write.deletes?.flagAt, var field = entity.records.fields.first
        else { return nil }
        field.name = "flag_at \(path)"
        field.at = path
        field.kind = .json
        field.defaultValue = nil
        self.init(field, isNested: false, zone: nil, decides: true)
    }

    /// The record's value is a time that names no offset, and nothing says in which zone it is meant; nil when it is
    /// another.
    func timeWithoutZone(_ record: FoundValue, _ tree: JSONTree) -> String? {
        guard zone == nil || field.kind == .text, let index = index(of: record, tree),
            tree.kind(at: index) == .string, !tree.raw(at: index).endsInZ,
            let text = tree.node(at: index).string, namesNoOffset(text)
        else { return nil }
        return text
    }

    /// By the first of the field's forms that fits.
    private func namesNoOffset(_ text: String) -> Bool {
        for format in field.times {
            switch format {
            case .iso8601:
                if Timestamp.microseconds(text) != nil { return Timestamp.namesNoOffset(text) }
            case .epochSeconds, .epochMilliseconds: if Double(text) != nil { return false }
            case .pattern(let pattern):
                if Timestamp.microseconds(text, pattern, in: nil) != nil {
                    return !pattern.hasOffset
                }
            }
        }
        return Timestamp.namesNoOffset(text)
    }

    /// The field's name.
    var name: String { field.name }

    /// The field is the whole record, whatever that is.
    var isWholeRecord: Bool { field.made == nil && field.at.steps.isEmpty }

    /// The field says nothing of the record by itself.
    var isMade: Bool { field.made != nil }

    /// The field is the whole record, which is no object then.
    var isPlainRecord: Bool { isWholeRecord && field.kind != .json }

    /// The bytes of the record's value as the page has them; nil when it has none.
    func raw(_ record: FoundValue, _ tree: JSONTree) -> UnsafeBufferPointer<UInt8>? {
        isMade ? nil : index(of: record, tree).map { tree.raw(at: $0) }
    }

    /// The record has several members of the field's name, so that nobody knows which one is meant.
    func standsTwice(_ record: FoundValue, _ tree: JSONTree) -> Bool {
        var isTwice = false
        _ = index(of: record, tree, isTwice: &isTwice)
        return isTwice
    }

    /// What is to say of a value that was read.
    struct Remark: Equatable {
        var kind: UnreadValues.Kind
        /// The sign of a list that goes on, or the number as the source wrote it.
        var example: String
    }

    /// What became of a record's value.
    enum Outcome: Equatable {
        /// It stands in the column, or its absence does.
        case read
        /// It is of another type: the column has a null, or the field's default.
        case unread
        /// The same where the record has no such member.
        case absent
        /// It stands in the column, and is not all that the source has.
        case remarked(Remark)
        /// It stands in the column, and the source keeps it as an asset.
        case fetched
        /// Nothing was added: the record is incompatible, for its value can't be read, or is none of
        /// those that the file takes.
        case misfit(isUnread: Bool)
        /// The same, as the record has two members of the name, and nobody knows which one is meant.
        case twice
    }

    /// Adds the record's value to its column.
    func read(_ record: FoundValue, _ tree: JSONTree, into column: inout BinaryArray) -> Outcome {
        if let parts { return make(of: parts, record, tree, into: &column) }
        let row = column.count
        var outcome = Outcome.absent
        var isTwice = false
        let index = index(of: record, tree, isTwice: &isTwice)
        if isTwice { return .twice }
        if index != nil { outcome = .read }
        let isAsset = isAsset(in: record, tree)
        if isAsset, isBlank(index, tree) {
            guard mayBeNull else { return .misfit(isUnread: true) }
            column.appendNull()
            outcome = .unread
        } else if let index, tree.kind(at: index) != .null {
            if !append(index, tree, to: &column) {
                if isSoftMark, tree.isDateOfZeros(at: index) {
                    column.appendNull()
                } else {
                    guard mayBeNull else { return .misfit(isUnread: true) }
                    column.appendNull()
                    outcome = .unread
                }
            } else if isSoftMark, let time = column.timestamptz(at: row), time < Truth.firstTime {
                column.removeLast(downTo: row)
                column.appendNull()
            }
        } else {
            column.appendNull()
        }
        if outcome == .read, let index, let remark = remark(on: index, record, tree) {
            outcome = .remarked(remark)
        }
        if isAsset, outcome == .read { outcome = .fetched }
        let isNull = column.withValue(at: row) { $0 == nil }
        if isNull, let fallback {
            column.removeLast(downTo: row)
            column.append(fallback)
        }
        guard isAllowed(column, row, isNull: isNull && fallback == nil) else {
            column.removeLast(downTo: row)
            return .misfit(isUnread: outcome == .unread)
        }
        return outcome
    }

    private func remark(on index: Int, _ record: FoundValue, _ tree: JSONTree) -> Remark? {
        switch field.kind {
        case .json:
            return signOfCut(index, record, tree).map { Remark(kind: .cut, example: $0) }
        case .double where tree.raw(at: index).count > Self.doubleDigits:
            let node = tree.node(at: index)
            guard let text = node.numberText ?? node.string, isRounded(text) else { return nil }
            return Remark(kind: .rounded, example: node.excerpt)
        default: return nil
        }
    }

    /// By what a list in a column of JSON says that it goes on: beside it in an object of its own, or in the value
    /// itself.
    private func signOfCut(_ index: Int, _ record: FoundValue, _ tree: JSONTree) -> String? {
        switch tree.kind(at: index) {
        case .object:
            var hasList = false
            tree.forEachMember(of: index) { hasList = hasList || tree.kind(at: $1) == .array }
            return hasList
                ? MoreSigns(tree, shown: nil, takesFlagsOnly: true).first(in: index) : nil
        case .array where names.count > 1 && !goesThroughArrays:
            var isTwice = false
            let start = isOfParent ? record.parent ?? record.index : record.index
            guard let container = lead(from: start, by: names.dropLast(), tree, &isTwice) else {
                return nil
            }
            return MoreSigns(tree, shown: tree.node(at: index).count).first(in: container)
        default: return nil
        }
    }

    private func isAllowed(_ column: BinaryArray, _ row: Int, isNull: Bool) -> Bool {
        if isNull { return !field.required }
        guard let allowed, column.element == .text else { return true }
        return column.withValue(at: row) { $0.map { allowed.contains(Array($0)) } ?? true }
    }

    func index(of record: FoundValue, _ tree: JSONTree) -> Int? {
        var isTwice = false
        return index(of: record, tree, isTwice: &isTwice)
    }

    /// What the first of the field's places leads to where something is.
    ///
    /// `isTwice`: an object on the way has several members of the name.
    func index(
        of record: FoundValue, _ tree: JSONTree, isTwice: inout Bool
    ) -> Int? {
        let own = place(of: record, tree, isTwice: &isTwice)
        guard !others.isEmpty, own.map({ tree.kind(at: $0) == .null }) ?? true else { return own }
        for other in others {
            if let index = other.place(of: record, tree, isTwice: &isTwice),
                tree.kind(at: index) != .null
            {
                return index
            }
        }
        return own
    }

    /// What the field's path leads to: within the record, or by `parent.` within the outer one.
    ///
    /// `isTwice`: an object on the way has several members of the name.
    private func place(
        of record: FoundValue, _ tree: JSONTree, isTwice: inout Bool
    ) -> Int? {
        if goesThroughArrays {
            let isOuter = isOfParent && record.parent != nil
            let path = isOuter ? Path(steps: Array(field.at.steps.dropFirst())) : field.at
            let start = isOuter ? record.parent ?? record.index : record.index
            return path.first(in: tree.node(at: start))?.treeIndex
        }
        guard isOfParent else { return lead(from: record.index, tree, &isTwice) }
        guard let parent = record.parent else {
            return field.at.first(in: tree.node(at: record.index))?.treeIndex
        }
        return lead(from: parent, tree, &isTwice)
    }

    private func lead(from start: Int, _ tree: JSONTree, _ isTwice: inout Bool) -> Int? {
        lead(from: start, by: names[...], tree, &isTwice)
    }

    func lead(
        from start: Int, by names: ArraySlice<[UInt8]>, _ tree: JSONTree, _ isTwice: inout Bool
    ) -> Int? {
        var index = start
        for name in names {
            guard let next = tree.member(name, of: index, isTwice: &isTwice) else { return nil }
            index = next
        }
        return index
    }

    /// Adds a value that is no null; false when it is of another type.
    private func append(_ index: Int, _ tree: JSONTree, to column: inout BinaryArray) -> Bool {
        switch (field.kind, field.form, tree.kind(at: index)) {
        case (.url, _, .string):
            guard let text = tree.plainString(at: index), isWebAddress(text) else {
                return appendValue(tree.node(at: index), to: &column)
            }
            column.append(utf8: text)
            return true
        case (.text, _, .string):
            guard tree.isStorable(at: index),
                tree.raw(at: index).count <= Self.valueBytesMax
            else { return false }
            if let text = tree.plainString(at: index) {
                column.append(utf8: text)
            } else {
                column.appendText { tree.appendString(at: index, to: &$0) }
            }
            return true
        case (.json, _, _):
            guard tree.isStorable(at: index),
                tree.raw(at: index).count <= Self.valueBytesMax
            else { return false }
            column.appendText { tree.appendOrdered(at: index, to: &$0) }
            return true
        case (.timestamp, .plain, .string) where field.times.isEmpty:
            guard let text = tree.plainString(at: index),
                let time = Timestamp.microseconds(utf8: text, in: zone)
            else { return appendValue(tree.node(at: index), to: &column) }
            column.append(timestamptz: time)
            return true
        case (.int, _, .number):
            guard let number = wholeNumber(tree.raw(at: index)) else {
                return appendValue(tree.node(at: index), to: &column)
            }
            column.append(int8: number)
            return true
        case (.double, _, .number), (.duration, _, .number):
            guard let number = plainNumber(tree.raw(at: index)) else {
                return appendValue(tree.node(at: index), to: &column)
            }
            if field.kind == .duration, number < 0 { return false }
            column.append(double: number)
            return true
        default: return appendValue(tree.node(at: index), to: &column)
        }
    }

    private func appendValue(_ node: JSONNode, to column: inout BinaryArray) -> Bool {
        guard let value = FieldValue.read(node, as: field, in: zone) else { return false }
        column.append(value)
        return true
    }
}

extension JSONTree {
    /// The text of a date of zeros, by which some databases write that there is none.
    fileprivate func isDateOfZeros(at index: Int) -> Bool {
        plainString(at: index)?.starts(with: "0000-00-00".utf8) ?? false
    }
}

extension Path.Step {
    fileprivate var isMember: Bool { if case .member = self { true } else { false } }
}

extension UnsafeBufferPointer<UInt8> {
    /// A text in quotes that ends as most times do, looked at first because each record is asked.
    fileprivate var endsInZ: Bool { dropLast().last == UInt8(ascii: "Z") }
}

/// A double next to the number is another number, as it would be written.
private func isRounded(_ text: String) -> Bool {
    guard let exact = DecimalText(text), let double = Double(text),
        let kept = DecimalText("\(double)")
    else { return false }
    return exact.text != kept.text
}

extension FieldReader.Outcome {
    /// The record has a value, or one that can't be read.
    var isThere: Bool {
        switch self {
        case .absent, .misfit(isUnread: false), .twice: false
        case .read, .unread, .remarked, .fetched, .misfit(isUnread: true): true
        }
    }
}
