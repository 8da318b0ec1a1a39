/// Median and ends of some samples.
struct Summary: Sendable, Equatable {
    let count: Int
    let median: Double
    let least: Double
    let greatest: Double

    /// Nil without a sample.
    init?(_ samples: [Double]) {
        let sorted = samples.sorted()
        guard let first = sorted.first, let last = sorted.last else { return nil }
        let middle = sorted.count / 2
        count = sorted.count
        median =
            sorted.count % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2
        least = first
        greatest = last
    }
}

/// The value that `share` (0…1) of the samples do not exceed, by nearest rank; nil without samples.
func percentile(_ samples: [Double], _ share: Double) -> Double? {
    guard !samples.isEmpty else { return nil }
    let rank = Int((share * Double(samples.count)).rounded(.up))
    return samples.sorted()[min(max(rank, 1), samples.count) - 1]
}

/// The n-th of one over the n-th of the other, as far as both go; a yardstick of 0 has no ratio.
func ratios(_ samples: [Double], to yardstick: [Double]) -> [Double] {
    zip(samples, yardstick).filter { $0.1 != 0 }.map { $0.0 / $0.1 }
}

/// For people: 67,123 · 512 · 12.3 · 2.31 · 0.842 · 20.
func readable(_ number: Double) -> String {
    guard number.isFinite else { return number.isNaN ? "–" : "∞" }
    let size = abs(number)
    let isWhole = size == size.rounded()
    let decimals = isWhole || size >= 99.95 ? 0 : size >= 9.995 ? 1 : size >= 0.9995 ? 2 : 3
    let scale = [1.0, 10, 100, 1000][decimals]
    let scaled = (size * scale).rounded()
    guard scaled < 1e15 else { return "\(number)" }
    let whole = Int(scaled) / Int(scale)
    let rest = Int(scaled) % Int(scale)
    var text = grouped(whole)
    if decimals > 0 {
        let digits = String(rest)
        text += "." + String(repeating: "0", count: decimals - digits.count) + digits
    }
    return (number < 0 ? "-" : "") + text
}

private func grouped(_ number: Int) -> String {
    var text = ""
    for (offset, digit) in String(number).reversed().enumerated() {
        if offset > 0, offset % 3 == 0 { text.append(",") }
        text.append(digit)
    }
    return String(text.reversed())
}
