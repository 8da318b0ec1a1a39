/// Reads digits and marks from the front of a text.
struct DigitScanner {
    private let text: UnsafeBufferPointer<UInt8>
    private var position = 0

    /// Reads the bytes where they are: valid as long as they are lent.
    init(_ text: UnsafeBufferPointer<UInt8>) {
        self.text = text
    }

    var isAtEnd: Bool { position == text.count }

    mutating func take(_ mark: Unicode.Scalar) -> Bool {
        guard position < text.count, UInt32(text[position]) == mark.value else { return false }
        position += 1
        return true
    }

    /// Exactly `count` digits.
    mutating func digits(_ count: Int) -> Int64? {
        guard text.count - position >= count else { return nil }
        var value: Int64 = 0
        for index in position..<position + count {
            let digit = text[index] &- 48
            guard digit < 10 else { return nil }
            value = value * 10 + Int64(digit)
        }
        position += count
        return value
    }

    /// Two digits, or one where it may be short and no second follows.
    mutating func pair(_ mayBeShort: Bool) -> Int64? {
        digits(mayBeShort && digitsAhead == 1 ? 1 : 2)
    }

    /// The place of the word that comes next, whatever its case.
    mutating func word(of words: [String]) -> Int? {
        let index = words.firstIndex { word in
            text[position...].prefix(word.utf8.count).map { $0 | 0x20 }.elementsEqual(word.utf8)
        }
        if let index { position += words[index].utf8.count }
        return index
    }

    /// A mark of any alphabet.
    mutating func takeScalar(_ scalar: Unicode.Scalar) -> Bool {
        String(scalar).utf8.allSatisfy { take(Unicode.Scalar($0)) }
    }

    /// One to eighteen digits, as a whole number.
    mutating func number() -> Int64? {
        let run = digitsAhead
        guard (1...18).contains(run) else { return nil }
        return digits(run)
    }

    /// Digits after the point as microseconds; finer ones are cut.
    mutating func fraction() -> Int64? {
        let run = digitsAhead
        guard run > 0 else { return nil }
        var value: Int64 = 0
        for index in 0..<6 {
            value = value * 10 + (index < run ? Int64(text[position + index] - 48) : 0)
        }
        position += run
        return value
    }

    private var digitsAhead: Int {
        text[position...].prefix { $0 &- 48 < 10 }.count
    }
}
