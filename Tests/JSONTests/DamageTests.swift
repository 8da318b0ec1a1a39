import Basics
import JSON
import Testing

/// Damaged bytes are refused or read, never a trap.
@Suite struct Damage {
    static let sample =
        #"{"videos":[{"id":"a\u00e9\uD83D\uDE00","n":-1.5e3,"ok":true,"x":null,"s":"日本 text"},"#
        + #"{"id":"b","list":[1,2,[3]],"o":{}}],"nextCursor":"abc=="}"#

    @Test func `every cut of a document is refused`() {
        let bytes = Array(Self.sample.utf8)
        for length in 0..<bytes.count {
            let error = #expect(throws: JSONError.self) {
                try JSONDocument(parsing: Array(bytes[..<length]))
            }
            #expect((error?.offset ?? .max) <= length)
        }
    }

    @Test(arguments: 0..<4) func `random damage never traps`(part: Int) {
        var random = SplitMix(seed: UInt64(part))
        let bytes = Array(Self.sample.utf8)
        let splices = Array("{}[]\",:\\u0eE+-.\u{0}\n ".utf8) + [0x80, 0xC3, 0xED, 0xF4, 0xFF]
        for _ in 0..<1_500 {
            var damaged = bytes
            for _ in 0...Int.random(in: 0..<4, using: &random) {
                let place = Int.random(in: 0..<damaged.count, using: &random)
                let byte = splices[Int.random(in: 0..<splices.count, using: &random)]
                switch Int.random(in: 0..<4, using: &random) {
                case 0: damaged[place] = byte
                case 1: damaged.insert(byte, at: place)
                case 2: damaged.remove(at: place)
                default: damaged[place] = UInt8.random(in: .min ... .max, using: &random)
                }
            }
            guard let document = try? JSONDocument(parsing: damaged) else { continue }
            if let value = document.root.value {
                #expect(throws: Never.self) { try JSONDocument(parsing: value.bytes) }
            }
        }
    }
}
