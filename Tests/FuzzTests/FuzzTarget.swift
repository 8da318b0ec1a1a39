/// A reader of hostile bytes, and what must hold of whatever it is given.
///
/// `bin/fuzz` runs it on bytes that libFuzzer makes up, `ReplayTests` on those that are kept in `Corpora`.
struct FuzzTarget: Sendable {
    /// Also the folder of its inputs.
    let name: String
    /// Throws `Broken` when something does not hold; a trap is libFuzzer's to see.
    let run: @Sendable ([UInt8]) throws -> Void

    static let all = [
        json, yaml, jobFile, manifest, link, url, address, chosenAddress, httpHead, httpBody,
        httpAnswer, serve, seal, key, page, lines, cloudKit, forms, redactor,
    ]
}

/// What does not hold of an input, as a sentence.
struct Broken: Error, CustomStringConvertible {
    let description: String
}

/// Throws unless something holds.
func expect(_ holds: Bool, _ sentence: @autoclosure () -> String) throws {
    guard holds else { throw Broken(description: sentence()) }
}

/// Throws unless a text is one line that a terminal shows as it is.
func expectLine(_ text: String) throws {
    try expect(
        !text.isEmpty && text.unicodeScalars.allSatisfy { $0.value >= 0x20 && $0.value != 0x7f },
        "\(text.debugDescription) is not one line")
}

extension [UInt8] {
    /// The bytes as text.
    var text: String { String(decoding: self, as: UTF8.self) }

    /// Takes the first byte, which chooses something; 0 where there is none.
    mutating func takeChoice() -> Int { isEmpty ? 0 : Int(removeFirst()) }

    /// Cut at each newline into at most so many parts.
    func parts(_ count: Int) -> [[UInt8]] {
        split(separator: 0x0a, maxSplits: count - 1, omittingEmptySubsequences: false)
            .map { Array($0) }
    }

    /// The pieces in which something might come: of one to as many bytes as the choice says.
    func pieces(_ choice: Int) -> [[UInt8]] {
        let size = choice % 64 + 1
        return stride(from: 0, to: count, by: size).map {
            Array(self[$0..<Swift.min(count, $0 + size)])
        }
    }
}
