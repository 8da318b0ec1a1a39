/// One line of a scrape: a number with its labels.
public struct MetricSample: Sendable, Equatable {
    /// What is measured.
    public var family: MetricFamily
    /// What follows the family's name: `_bucket`, `_sum` or `_count` of a histogram.
    var suffix = ""
    /// Labels by name, in order.
    var labels: [(name: String, value: String)]
    /// The number.
    public var value: Double

    /// A number of a family; `labels` are the values of its labels, in their order.
    public init(_ family: MetricFamily, _ labels: [String] = [], _ value: Double) {
        self.family = family
        self.labels = zip(family.labels, labels).map { (name: $0, value: $1) }
        self.value = value
    }

    /// The buckets of a histogram, its sum and its count.
    static func all(
        of family: MetricFamily, _ labels: [String], _ counts: [Int], _ sum: Double
    ) -> [MetricSample] {
        var samples: [MetricSample] = []
        var total = 0
        for (place, count) in counts.enumerated() {
            total += count
            var bucket = MetricSample(family, labels, Double(total))
            let bound = place < family.buckets.count ? number(family.buckets[place]) : "+Inf"
            bucket.suffix = "_bucket"
            bucket.labels.append((name: "le", value: bound))
            samples.append(bucket)
        }
        for (suffix, value) in [("_sum", sum), ("_count", Double(total))] {
            var sample = MetricSample(family, labels, value)
            sample.suffix = suffix
            samples.append(sample)
        }
        return samples
    }

    /// Samples are the same when they say the same.
    public static func == (left: Self, right: Self) -> Bool { left.line == right.line }

    /// `name{label="value"} 3`.
    var line: String {
        let pairs = labels.map { "\($0.name)=\"\(escaped($0.value))\"" }.joined(separator: ",")
        return family.rawValue + suffix + (pairs.isEmpty ? "" : "{\(pairs)}") + " " + number(value)
    }
}

/// A whole number without a fraction.
private func number(_ value: Double) -> String {
    Int64(exactly: value).map { "\($0)" } ?? "\(value)"
}

/// A backslash, a quote and a line's end would end the value; other control characters are of no use to a scraper.
private func escaped(_ text: String) -> String {
    var escaped = ""
    for scalar in text.unicodeScalars {
        switch scalar {
        case "\\": escaped += "\\\\"
        case "\"": escaped += "\\\""
        case "\n": escaped += "\\n"
        default:
            if scalar.value >= 0x20, scalar.value != 0x7f { escaped.unicodeScalars.append(scalar) }
        }
    }
    return escaped
}
