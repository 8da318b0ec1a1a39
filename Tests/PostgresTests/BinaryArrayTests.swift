import Testing

@testable import Postgres

@Suite struct BinaryArrayTests {
    @Test func `an array built value by value is the same on the wire as one of Swift's`() throws {
        var texts = BinaryArray(.text)
        for text in ["", "é", nil, "long enough to need a second look"] as [String?] {
            if let text { texts.append(text) } else { texts.appendNull() }
        }
        var times = BinaryArray(.timestamptz)
        times.append(timestamptz: 0)
        times.appendNull()
        var numbers = BinaryArray(.int8)
        numbers.append(int8: .min)
        var doubles = BinaryArray(.double)
        doubles.append(double: -1.5)
        var flags = BinaryArray(.bool)
        flags.append(bool: true)
        flags.append(bool: false)
        for (built, wanted) in [
            (texts, Bind.textArray(["", "é", nil, "long enough to need a second look"])),
            (times, .timestamptzArray([0, nil])), (numbers, .optionalInt8Array([.min])),
            (doubles, .doubleArray([-1.5])), (flags, .boolArray([true, false])),
            (BinaryArray(.text), .textArray([])),
        ] {
            let encoded = try EncodedBinds([.array(built)])
            let expected = try EncodedBinds([wanted])
            #expect(encoded.bytes == expected.bytes)
            #expect(encoded.oids == expected.oids)
        }
    }

    @Test func `values can be read back, taken off the end and left out`() {
        var texts = BinaryArray(.text)
        for text in ["a", "bb", "ccc"] { texts.append(text) }
        texts.appendNull()
        #expect((0..<4).map { texts.text(at: $0) } == ["a", "bb", "ccc", nil])
        texts.removeLast(downTo: 3)
        let kept = texts.keeping([2, 0])
        #expect(texts.count == 3 && kept.count == 2)
        #expect((0..<2).map { kept.text(at: $0) } == ["ccc", "a"])
    }
}
