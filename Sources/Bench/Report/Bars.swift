/// Horizontal bars as an SVG, each of one part or more; its colours follow the reader's choice of light or dark.
struct Bars: Sendable {
    enum Style: String, Sendable {
        case met, missed, first, second
    }

    struct Part: Sendable, Equatable {
        let style: Style
        /// Of the room that a bar has, 0…1.
        let share: Double
    }

    struct Row: Sendable, Equatable {
        let label: String
        let parts: [Part]
        /// What stands beside the bar.
        let figure: String
    }

    /// What the picture shows, for who can't see it.
    let title: String
    let rows: [Row]
    /// What the styles stand for, above the bars.
    var legend: [(style: Style, word: String)] = []
    /// A line across all bars.
    var mark: (share: Double, word: String)?

    // Widths and heights in pixels.
    private static let labelWidth = 330
    private static let barWidth = 300
    private static let figureWidth = 210
    private static let rowHeight = 24

    /// The picture.
    var svg: String {
        let width = Self.labelWidth + Self.barWidth + Self.figureWidth
        let height = Self.rowHeight * (rows.count + 2)
        let lines =
            head + rows.enumerated().map { drawn($1, at: Self.rowHeight * ($0 + 1)) } + tail
        return """
            <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 \(width) \(height)" width="\(width)" \
            height="\(height)" role="img" aria-label="\(escaped(title))">
            <style>
            text { font: 12px system-ui, sans-serif; fill: #24292f }
            .page { fill: #ffffff } .met { fill: #2da44e } .missed { fill: #d4762c } .goal { stroke: #57606a }
            .first { fill: #0969da } .second { fill: #8250df }
            @media (prefers-color-scheme: dark) {
            text { fill: #e6edf3 } .page { fill: #0d1117 } .met { fill: #3fb950 } .missed { fill: #e3893f }
            .goal { stroke: #8b949e } .first { fill: #4493f8 } .second { fill: #ab7df8 }
            }
            </style>
            <rect class="page" width="\(width)" height="\(height)"/>
            \(lines.joined(separator: "\n"))
            </svg>

            """
    }

    /// The mark's word, or the legend.
    private var head: [String] {
        if let mark {
            return [
                #"<text x="\#(place(mark.share))" y="16" text-anchor="middle">\#(mark.word)</text>"#
            ]
        }
        return legend.enumerated().flatMap { number, entry in
            let x = Self.labelWidth + number * 110
            return [
                #"<rect class="\#(entry.style.rawValue)" x="\#(x)" y="6" width="12" height="12"/>"#,
                #"<text x="\#(x + 18)" y="16">\#(escaped(entry.word))</text>"#,
            ]
        }
    }

    private var tail: [String] {
        guard let mark else { return [] }
        let x = place(mark.share)
        let end = Self.rowHeight * (rows.count + 1) + 4
        return [
            #"<line class="goal" x1="\#(x)" x2="\#(x)" y1="20" y2="\#(end)" stroke-dasharray="4 3"/>"#
        ]
    }

    private func place(_ share: Double) -> Int {
        Self.labelWidth + Int(min(max(share, 0), 1) * Double(Self.barWidth))
    }

    private func drawn(_ row: Row, at top: Int) -> String {
        var lines = [
            #"<text x="\#(Self.labelWidth - 8)" y="\#(top + 16)" text-anchor="end">\#(escaped(row.label))</text>"#
        ]
        var share = 0.0
        for part in row.parts {
            let (from, to) = (place(share), place(share + part.share))
            lines.append(
                #"<rect class="\#(part.style.rawValue)" x="\#(from)" y="\#(top + 4)" width="\#(to - from)" height="16"/>"#
            )
            share += part.share
        }
        let x = Self.labelWidth + Self.barWidth + 8
        lines.append(#"<text x="\#(x)" y="\#(top + 16)">\#(escaped(row.figure))</text>"#)
        return lines.joined(separator: "\n")
    }
}

private func escaped(_ text: String) -> String {
    text.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(">", with: "&gt;")
}
