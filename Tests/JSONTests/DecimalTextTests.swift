import JSON
import Testing

@Suite struct DecimalTextTests {
    @Test(arguments: [
        ("0", "0"), ("-0", "0"), ("0.00", "0"), ("3.0", "3"), ("1e3", "1000"), ("1E+3", "1000"),
        ("12.50", "12.5"),
        ("0.05", "0.05"), ("5e-2", "0.05"), ("-1.5e1", "-15"),
        ("18446744073709551615", "18446744073709551615"),
        ("12345678901234.567", "12345678901234.567"), ("120e-1", "12"), ("007", "7"),
    ])
    func `a number has one text, whatever its digits were`(_ written: String, _ text: String) {
        #expect(DecimalText(written)?.text == text)
    }

    @Test(arguments: [
        "", "-", "1.", ".5", "1e", "1e+", "x", "1 ", "0x1", "1e99999", "1e1001", "1e-1001",
        "1e999999",
    ])
    func `what is no number, or one of absurdly many digits, is none`(_ written: String) {
        #expect(DecimalText(written) == nil)
    }

    @Test func `numbers are ordered by what they are`() throws {
        let ascending = [
            "-1e3", "-12", "-1.5", "-0.1", "0", "0.02", "0.1", "1", "1.5", "9", "10", "1e3",
        ]
        let numbers = try ascending.map { try #require(DecimalText($0)) }
        for (index, left) in numbers.enumerated() {
            for (other, right) in numbers.enumerated() {
                #expect((left < right) == (index < other))
            }
        }
    }
}
