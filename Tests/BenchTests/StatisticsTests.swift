import Testing

@testable import Bench

@Suite struct StatisticsTests {
    @Test func `the median of an even number of samples lies between the middle two`() throws {
        #expect(Summary([]) == nil)
        #expect(try #require(Summary([5, 1, 3])).median == 3)
        let summary = try #require(Summary([4, 1, 3, 2]))
        #expect(summary.median == 2.5)
        #expect(summary.least == 1)
        #expect(summary.greatest == 4)
        #expect(summary.count == 4)
    }

    @Test func `a percentile is a sample that was taken`() {
        let samples = (1...100).map(Double.init)
        #expect(percentile(samples.shuffled(), 0.5) == 50)
        #expect(percentile(samples, 0.99) == 99)
        #expect(percentile(samples, 1) == 100)
        #expect(percentile(samples, 0) == 1)
        #expect(percentile([7], 0.99) == 7)
        #expect(percentile([], 0.5) == nil)
    }

    @Test func `a ratio pairs the samples of the same round`() {
        #expect(ratios([10, 30, 99], to: [5, 10]) == [2, 3])
        #expect(ratios([1], to: [0]) == [])
    }

    @Test(arguments: [
        (67123.4, "67,123"), (1_000_000, "1,000,000"), (999.96, "1,000"), (512.4, "512"),
        (99.96, "100"), (12.34, "12.3"), (2.306, "2.31"), (0.8421, "0.842"), (0, "0"),
        (0.99996, "1.00"), (-1.5, "-1.50"), (0.005, "0.005"), (20, "20"), (.infinity, "∞"),
    ])
    func `a number is written with three digits that mean something`(number: Double, text: String) {
        #expect(readable(number) == text)
    }
}
