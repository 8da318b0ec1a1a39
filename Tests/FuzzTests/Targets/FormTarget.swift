import Basics
import HTTP
import JSON

@testable import JobFiles
@testable import Reading

extension FuzzTarget {
    private static let readers: [@Sendable (String) throws -> Void] = [
        checkTime, checkPattern, checkNumber, checkWait, checkSpan, checkPath, checkTemplate,
    ]

    /// Texts of one line, as sources and files write times, numbers, spans, paths and placeholders.
    static let forms = FuzzTarget(name: "forms") { bytes in
        var bytes = bytes
        try readers[bytes.takeChoice() % readers.count](bytes.text)
    }

    private static func checkTime(_ text: String) throws {
        guard let time = Timestamp.microseconds(text) else { return }
        let written = Timestamp.iso8601(time)
        try expect(Timestamp.microseconds(written) == time, "\(written) is another time")
    }

    /// A pattern, and behind a newline a time of it.
    private static func checkPattern(_ text: String) throws {
        let parts = text.utf8.split(separator: 0x0a, maxSplits: 1).map { String(Substring($0)) }
        guard let first = parts.first, let pattern = try? TimePattern(first) else { return }
        for text in [parts.last ?? "", "2026-02-28T23:59:60Z"] {
            let time =
                Timestamp.microseconds(text, pattern, in: nil) ?? Timestamp.microseconds(text)
            guard let time, case .string(let written) = Timestamp.value(time, as: .pattern(pattern))
            else { continue }
            // It may leave out the clock.
            guard let again = Timestamp.microseconds(written, pattern, in: nil) else { continue }
            try expect(abs(again - time) < 86_400_000_000, "\(written) is another day")
        }
    }

    private static func checkNumber(_ text: String) throws {
        guard let number = DecimalText(text) else { return }
        try expect(
            DecimalText(number.text)?.text == number.text, "\(number.text) is another number")
        try expect(!(number < number), "\(text) is less than itself")
        let digits = Double(number.text)
        try expect(digits == Double(text), "\(number.text) is another number than \(text)")
        try expect(number.whole.map { String($0) == number.text } ?? true, "\(text) is not whole")
    }

    private static func checkWait(_ text: String) throws {
        for now in [nil, 1_800_000_000] {
            guard let wait = SaidWait.seconds(text, now: now) else { continue }
            try expect(wait.isFinite && wait >= 0, "a wait of \(wait)")
        }
        guard let date = HTTPDate.unixSeconds(text) else { return }
        let written = HTTPDate.text(unixSeconds: date)
        try expect(HTTPDate.unixSeconds(written) == date, "\(written) is another date")
    }

    private static func checkSpan(_ text: String) throws {
        if let seconds = ClockText.seconds(text) {
            try expect(seconds.isFinite && seconds >= 0, "\(seconds) seconds")
        }
        guard let span = Duration(jobFile: text) else { return }
        try expect(
            Duration(jobFile: span.jobFileText) == span, "\(span.jobFileText) is another span")
    }

    private static func checkPath(_ text: String) throws {
        do throws(FormatError) {
            let path = try Path(parsing: text)
            guard let again = try? Path(parsing: path.description), again == path else {
                throw FormatError("")
            }
        } catch { try expect(!error.message.isEmpty, "written it is another path") }
    }

    private static func checkTemplate(_ text: String) throws {
        guard let template = try? Template(parsing: text) else { return }
        let again = try? Template(parsing: template.description)
        try expect(again == template, "\(template.description) is another template")
    }
}
