public import Foundation
import JSON

/// A job file made of a right one by a patch, and what `jobrunner validate` must say of it.
///
/// `Cases/README.md` says how the tables are written; `bin/schema-check` reads the same ones.
public struct JobFileCase: Sendable, CustomStringConvertible {
    /// Who accepts the file.
    public enum Verdict: String, Sendable {
        /// The JSON Schema and `jobrunner validate`.
        case good
        /// Neither.
        case both
        /// The schema only: what the parts of a file say of each other it can't see.
        case ours
    }
    /// The base and the name of the case, or its patch.
    public var description: String
    /// Who accepts the file.
    public var verdict: Verdict
    /// The whole file.
    public var text: [UInt8]
    /// What must be said, in order: `line:column words` where lines count, else words.
    public var mistakes: [Substring] = []
    /// The file has lines of its own, so that places can be told.
    public var hasPlaces: Bool
}

extension JobFileCase {
    /// The folder of the bases and tables.
    public static let folder = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "Cases")

    /// Every case of every table.
    public static func all() throws -> [JobFileCase] {
        try FileManager.default.contentsOfDirectory(atPath: folder.path()).sorted()
            .filter { $0.hasSuffix(".cases") }
            .flatMap { try read(table: String($0.dropLast(".cases".count))) }
    }

    private static func read(table: String) throws -> [JobFileCase] {
        let lines = try String(
            contentsOf: folder.appending(path: "\(table).cases"), encoding: .utf8
        ).split(separator: "\n")
        var cases: [JobFileCase] = []
        for line in lines where !line.hasPrefix("#") {
            if line.hasPrefix("  ") {
                cases[cases.count - 1].mistakes.append(line.dropFirst(2))
            } else {
                cases.append(try JobFileCase(line: line, table: table))
            }
        }
        return cases
    }

    private init(line: Substring, table: String) throws {
        let word = line.prefix { $0 != " " }
        guard let verdict = Verdict(rawValue: String(word)) else { throw BadCase(line: line) }
        let rest = line.dropFirst(word.count + 1)
        let name = rest.prefix { $0.isLowercase || $0.isNumber || $0 == "-" }
        let isText = rest.dropFirst(name.count).hasPrefix(":")
        self.verdict = verdict
        description = "\(table) \(isText ? name : rest)"
        hasPlaces = isText
        text =
            isText
            ? try patched(table, by: rest.dropFirst(name.count + 1)) : try changed(table, by: rest)
    }
}

/// A table that can't be read.
private struct BadCase: Error { var line: Substring }

private func base(_ name: String) throws -> Data? {
    let file = JobFileCase.folder.appending(path: name)
    return FileManager.default.fileExists(atPath: file.path()) ? try Data(contentsOf: file) : nil
}

/// A base of lines with texts replaced that stand in it once; without a base the text is the file.
private func patched(_ table: String, by patches: Substring) throws -> [UInt8] {
    var text = try base("\(table).yaml").map { Array($0) } ?? []
    for patch in patches.split(separator: " && ") {
        let sides = patch.split(separator: "=>", maxSplits: 1, omittingEmptySubsequences: false)
            .map { unescaped($0.trimmingPrefix { $0 == " " }.trimmingSuffix()) }
        guard sides.count == 2 else { throw BadCase(line: patch) }
        let places = text.indices.filter { text[$0...].starts(with: sides[0]) }
        guard text.isEmpty || places.count == 1 else { throw BadCase(line: patch) }
        text.replaceSubrange(
            (places.first ?? 0)..<((places.first ?? 0) + sides[0].count), with: sides[1])
    }
    return text
}

extension Substring {
    fileprivate func trimmingSuffix() -> Substring { hasSuffix(" ") ? dropLast() : self }
}

/// `\n`, `\t`, `\\` and `\xHH` stand for one byte each.
private func unescaped(_ text: Substring) -> [UInt8] {
    var bytes: [UInt8] = []
    var rest = text[...]
    while let letter = rest.popFirst() {
        guard letter == "\\", let code = rest.popFirst() else {
            bytes += Array(String(letter).utf8)
            continue
        }
        switch code {
        case "n": bytes.append(UInt8(ascii: "\n"))
        case "t": bytes.append(UInt8(ascii: "\t"))
        case "x":
            bytes.append(UInt8(rest.prefix(2), radix: 16) ?? 0)
            rest = rest.dropFirst(2)
        default: bytes += Array(String(code).utf8)
        }
    }
    return bytes
}

/// A base of JSON with the value at a path set (`a.0.b = 5`) or gone (`a.0.b gone`).
private func changed(_ table: String, by patch: Substring) throws -> [UInt8] {
    let path: Substring
    let value: JSONValue?
    if patch.hasSuffix(" gone") {
        (path, value) = (patch.dropLast(" gone".count), nil)
    } else {
        let sides = patch.split(separator: " = ", maxSplits: 1)
        guard sides.count == 2 else { throw BadCase(line: patch) }
        path = sides[0]
        value = try json(Array(sides[1].utf8))
    }
    guard let file = try base("\(table).json") else { throw BadCase(line: patch) }
    let whole = set(value, at: path.split(separator: ".")[...], in: try json(Array(file)))
    return Array(whole.indentedText.utf8)
}

private func json(_ bytes: [UInt8]) throws -> JSONValue {
    try JSONDocument(parsing: bytes).root.value ?? .null
}

private func set(_ value: JSONValue?, at path: ArraySlice<Substring>, in whole: JSONValue)
    -> JSONValue
{
    guard let step = path.first else { return value ?? whole }
    switch whole {
    case .object(var members):
        let index = members.firstIndex { $0.name == step }
        if path.count == 1, value == nil {
            if let index { members.remove(at: index) }
        } else if let index {
            members[index].value = set(value, at: path.dropFirst(), in: members[index].value)
        } else if let value {
            members.append(JSONMember(String(step), value))
        }
        return .object(members)
    case .array(var elements):
        guard let index = Int(step), elements.indices.contains(index) else { return whole }
        elements[index] = set(value, at: path.dropFirst(), in: elements[index])
        return .array(elements)
    default: return whole
    }
}
