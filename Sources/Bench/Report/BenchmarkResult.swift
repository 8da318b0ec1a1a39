import JSON

/// What became of one benchmark: what the report is written from, and what the JSON keeps.
struct BenchmarkResult: Sendable {
    let number: Int
    let name: String
    let form: String
    /// When it began, UTC.
    let at: String
    let commit: String
    let seconds: Double
    var series: [Series]
    var notes: [String]
    var extras: [JSONMember]
    /// One line; nil when it ran to its end.
    var failure: String?

    func series(_ name: String) -> Series? { series.first { $0.name == name } }

    /// The samples that a goal is judged by; nil without any.
    func summary(of goal: Goal) -> Summary? {
        guard let product = series(goal.series) else { return nil }
        guard let name = goal.yardstick else { return product.summary }
        return Summary(ratios(product.values, to: series(name)?.values ?? []))
    }
}

extension BenchmarkResult {
    /// The raw numbers.
    var json: JSONValue {
        .object([
            JSONMember("number", .integer(number)), JSONMember("name", .string(name)),
            JSONMember("form", .string(form)), JSONMember("at", .string(at)),
            JSONMember("commit", .string(commit)), JSONMember("seconds", .number("\(seconds)")),
            JSONMember("failure", failure.map { .string($0) } ?? .null),
            JSONMember(
                "series",
                .array(
                    series.map { series in
                        .object([
                            JSONMember("name", .string(series.name)),
                            JSONMember("unit", .string(series.unit)),
                            JSONMember("values", .array(series.values.map { .number("\($0)") })),
                        ])
                    })),
            JSONMember("notes", .array(notes.map { .string($0) })),
            JSONMember("extras", .object(extras)),
        ])
    }

    /// Reads what `json` has written; nil for anything else.
    init?(_ json: JSONValue) {
        guard let number = json["number"]?.int, let name = json["name"]?.string,
            let form = json["form"]?.string, let at = json["at"]?.string,
            let commit = json["commit"]?.string, let seconds = json["seconds"]?.double
        else { return nil }
        (self.number, self.name, self.form) = (number, name, form)
        (self.at, self.commit, self.seconds) = (at, commit, seconds)
        failure = json["failure"]?.string
        notes = json["notes"]?.elements?.compactMap(\.string) ?? []
        extras = json["extras"]?.members ?? []
        series = (json["series"]?.elements ?? []).compactMap { item in
            guard let name = item["name"]?.string, let unit = item["unit"]?.string else {
                return nil
            }
            return Series(
                name: name, unit: unit, values: item["values"]?.elements?.compactMap(\.double) ?? []
            )
        }
    }
}
