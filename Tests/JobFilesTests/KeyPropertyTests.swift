import Foundation
import JSON
import Testing

@testable import JobFiles

/// What holds for every key of every kind of mapping, by its declaration alone.
@Suite struct KeyProperties {
    /// Keys that no file has that was written, and why.
    private static let unwritten = [
        "file: defaults": "what it says is written in every entity"
    ]

    private static let files = Result { try GoodFile.all() }
    private static let places = files.map { KeyPlace.all(in: $0) }

    /// One place for each key, and for each type that it has by what stands beside it.
    private static let onePlaceEach = places.map { places in
        var sorts: Set<String> = []
        let all = places + unwritten.keys.compactMap { places.first?.beside($0) }
        return all.filter { sorts.insert($0.sort).inserted }
    }

    @Test func `every key round-trips`() throws {
        for file in try Self.files.get() {
            let again = try JobFile.parse(file.job.expanded, file: file.name).get()
            // Whole files would fill pages of a failure.
            let (isSame, isWrittenSame) = (
                again == file.job, again.expandedValue == file.job.expandedValue
            )
            #expect(isSame && isWrittenSame, "\(file.name)")
        }
        let met = Set(try Self.places.get().map(\.label))
        let declared = Set(KeyPlace.declared)
        #expect(met.subtracting(declared).sorted() == [], "written, but declared nowhere")
        #expect(
            declared.subtracting(met).subtracting(Self.unwritten.keys).sorted() == [],
            "no good file has it: add it to one of Tests/TestJobFiles/Cases")
    }

    @Test(arguments: Grammar.titles)
    func `every wrong value is told by its place`(kind: String) throws {
        for place in try places(of: kind) {
            let text = ChangedText(of: place.file, at: place.steps + [.member(place.key)])
            let wrong = place.types.flatMap { $0.wrong(beside: place.value ?? .null) }
            for value in wrong {
                #expect(
                    text.mistakes(with: value).contains {
                        $0.isInside && $0.mistake.path.isBelow(place.path)
                    }, "\(place.label) in \(place.file.name): \(value.text)")
            }
        }
    }

    @Test(arguments: Grammar.titles)
    func `an unknown key is told at its place, with the nearest word`(kind: String) throws {
        for place in try places(of: kind) {
            let text = ChangedText(of: place.file, at: place.steps)
            let near = (place.key.count > 2 ? String(place.key.dropLast()) : place.key) + "x"
            for name in [near, "unheard of"] {
                let others = place.members.filter { $0.name != place.key || name != near }
                let members = [JSONMember(name, place.value ?? .null)] + others
                let told = text.mistakes(with: .object(members)).first {
                    // Behind the brace.
                    $0.offset == 1 && $0.mistake.path == (place.steps + [.member(name)]).text
                }
                let words = "\(place.label) in \(place.file.name): \(name)"
                #expect(
                    told?.mistake.message.hasPrefix("unknown key \"\(name)\"") == true, "\(words)")
                guard name == near else { continue }
                let nearest = try #require(told?.mistake.nearest, "\(words)")
                #expect(editDistance(nearest, name) == 1, "\(words)")
            }
        }
    }

    @Test(arguments: Grammar.titles)
    func `a required key that is gone is told at its mapping`(kind: String) throws {
        for place in try places(of: kind) where place.isNeeded {
            let text = ChangedText(of: place.file, at: place.steps)
            let others = place.members.filter { $0.name != place.key }
            #expect(
                text.mistakes(with: .object(others)).contains {
                    $0.offset == 0 && $0.mistake.path == place.mapping
                        && $0.mistake.message.hasPrefix("missing key ")
                        && $0.mistake.message.contains("\"\(place.key)\"")
                }, "\(place.label) in \(place.file.name)")
        }
    }

    @Test(arguments: TextForm.allCases.filter { !$0.pattern.isEmpty })
    func `a malformed text is tried for each form`(form: TextForm) {
        let wrong = ValueType.formed(form).wrong(beside: .null)
        #expect(wrong.contains { $0.string != nil })
    }

    private func places(of kind: String) throws -> [KeyPlace] {
        try Self.onePlaceEach.get().filter {
            $0.label.hasPrefix(kind + ":") || $0.label.hasPrefix(kind + " ")
        }
    }
}

extension String {
    /// The same place of a file, or one in it.
    fileprivate func isBelow(_ path: String) -> Bool {
        self == path || hasPrefix(path + ".") || hasPrefix(path + "[")
    }
}

/// A good file around one value, which is changed.
private struct ChangedText {
    private let before: String
    private let after: String
    private let line: Int
    private let column: Int

    init(of file: ExpandedFile, at steps: [Step]) {
        let mark = JSONValue.string("the changed value")
        let text = file.value.with(mark, at: steps[...]).indentedText
        let parts = text.components(separatedBy: mark.text)
        before = parts[0]
        after = parts[1]
        let lines = before.split(separator: "\n", omittingEmptySubsequences: false)
        line = lines.count
        column = (lines.last?.count ?? 0) + 1
    }

    /// What is wrong with the file, each with where it lies in the value, which stands in one line.
    func mistakes(
        with value: JSONValue
    ) -> [(mistake: Mistake, offset: Int, isInside: Bool)] {
        guard case .failure(let mistakes) = JobFile.parse(before + value.text + after, file: "it")
        else { return [] }
        return mistakes.all.map { mistake in
            let offset = mistake.line == line ? mistake.column - column : -1
            return (mistake, offset, (0..<value.text.count).contains(offset))
        }
    }
}
