import JSON

/// Numbers by quarters of an hour, drawn; each drawing says in words what it shows.
struct Chart {
    /// Quarters of a day.
    static let quarters = 96

    /// A small curve of a day, in percent.
    static func sparkline(_ values: [Double?], label: String) -> HTML {
        let points = values.enumerated().compactMap { place, value -> String? in
            value.map { "\(place),\(rounded(24 - 22 * min(max($0, 0), 100) / 100))" }
        }
        guard points.count > 1 else { return "" }
        let last = values.compactMap { $0 }.last ?? 0
        return """
            <svg class="spark" viewBox="0 0 \(quarters) 26" preserveAspectRatio="none" role="img" aria-label="\(label): \(rounded(last)) % now">
            <polyline points="\(points.joined(separator: " "))"></polyline></svg>
            """
    }

    /// Areas of a day, one on the other: each series has a name and a number for each quarter.
    static func areas(_ series: [(name: String, values: [Double])], label: String) -> HTML {
        let used = series.filter { $0.values.contains { $0 > 0 } }
        guard !used.isEmpty else {
            return "<p class=\"empty\">No run has ended in the last day.</p>"
        }
        var floor = [Double](repeating: 0, count: quarters)
        let total = (0..<quarters).map { place in used.reduce(0) { $0 + $1.values[place] } }
        let top = max(total.max() ?? 0, 1)
        var shapes: [HTML] = []
        for one in used {
            let roof = zip(floor, one.values).map { $0 + $1 }
            let upper = roof.enumerated().map { "\($0.offset),\(height($0.element, of: top))" }
            let lower = floor.enumerated().reversed().map {
                "\($0.offset),\(height($0.element, of: top))"
            }
            shapes.append(
                "<polygon class=\"\(one.name)\" points=\"\((upper + lower).joined(separator: " "))\"><title>\(one.name)</title></polygon>"
            )
            floor = roof
        }
        let legend = used.map { one -> HTML in
            let sum = Int(one.values.reduce(0, +))
            return
                "<li><span class=\"key \(one.name)\"></span>\(one.name.replacing("_", with: " ")) \(number(sum))</li>"
        }
        return """
            <figure><svg class="areas" viewBox="0 0 \(quarters - 1) 60" preserveAspectRatio="none" role="img" aria-label="\(label)">
            \(shapes)</svg><figcaption><ul class="legend">\(legend)</ul>
            <p>The last 24 hours, by quarters of an hour; at most \(number(Int(top))) in one.</p></figcaption></figure>
            """
    }

    /// The numbers of one series in their quarters; `rows` are of view `history`, with `quarters_ago`.
    static func places(_ rows: [JSONValue]) -> [Double?] {
        var values = [Double?](repeating: nil, count: quarters)
        for row in rows {
            guard let ago = row["quarters_ago"]?.int, (0..<quarters).contains(ago),
                let value = row.text("value").flatMap({ Double($0) })
            else { continue }
            values[quarters - 1 - ago] = value + (values[quarters - 1 - ago] ?? 0)
        }
        return values
    }

    private static func height(_ value: Double, of top: Double) -> String {
        rounded(58 - 56 * value / top)
    }

    fileprivate static func rounded(_ value: Double) -> String {
        String((value * 10).rounded() / 10)
    }
}

/// The runs of one user on a line of time: when each was due, began and ended.
struct Timeline {
    /// `runs` are rows of `user_story`, with `began_ago`, `took` and `waited` in seconds.
    static func html(_ runs: [JSONValue]) -> HTML {
        let spans = runs.compactMap { row -> (JSONValue, Double, Double, Double)? in
            guard let began = row.text("began_ago").flatMap({ Double($0) }) else { return nil }
            let took = row.text("took").flatMap { Double($0) } ?? 0
            let waited = row.text("waited").flatMap { Double($0) } ?? 0
            return (row, began, took, max(0, waited))
        }
        guard let first = spans.map({ $0.1 + $0.3 }).max(), first > 0 else { return "" }
        let jobs = Set(spans.compactMap { $0.0.text("job") }).sorted()
        let width = 1000.0
        func x(_ ago: Double) -> Double { width * (1 - ago / first) }
        let lanes = jobs.enumerated().map { place, job -> HTML in
            let y = place * 28
            let bars = spans.filter { $0.0.text("job") == job }.map { row, began, took, waited in
                bar(row, x(began), max(3, width * took / first), width * waited / first, y)
            }
            return "<text x=\"0\" y=\"\(y + 10)\">\(job)</text>\(bars)"
        }
        return """
            <svg class="timeline" viewBox="0 0 1000 \(jobs.count * 28 + 4)" role="img" aria-label="The runs below on a line of \(spanWords(first)), the present at the right">
            \(lanes)</svg>
            """
    }

    private static func bar(
        _ row: JSONValue, _ x: Double, _ width: Double, _ waited: Double, _ y: Int
    ) -> HTML {
        let words = [
            row.text("outcome"), row.text("pages").map { "\($0) pages" },
            row.text("pushed").flatMap { $0 == "0" ? nil : "\($0) pushed" }, row.text("error_kind"),
        ].compactMap { $0 }.joined(separator: ", ")
        let left = min(x, 1000 - width)
        let outcome = row.text("outcome") ?? ""
        let wait: HTML? =
            waited < 1
            ? nil
            : """
            <rect class="wait" x="\(Chart.rounded(max(0, left - waited)))" y="\(y + 17)" width="\(Chart.rounded(waited))" height="4"></rect>
            """
        return """
            \(wait)<rect class="\(outcome)" x="\(Chart.rounded(left))" y="\(y + 13)" width="\(Chart.rounded(width))" height="12"><title>\(words)</title></rect>
            """
    }
}
