import HTTP
import JobFiles
import JobQueue

extension Renderer {
    /// The path of a request.
    ///
    /// Throws `RunEnd` where a value leaves its segment empty or makes it `.` or `..`, also encoded: a
    /// server would take that for another place than the job file names.
    func path(_ template: Template) throws -> String {
        let path = try requiredText(template) { percentEncode(pathSegment: $0) }
        for segment in segments(of: template) {
            let rendered = try requiredText(segment)
            guard ["", ".", ".."].contains(rendered) else { continue }
            let named = segment.placeholders.map(\.description).joined(separator: ", ")
            throw RunEnd.failed(
                .missing,
                "\(named) makes a part of the path \(rendered.isEmpty ? "empty" : "'\(rendered)'"), expected a name or number"
            )
        }
        return path
    }

    /// What stands between slashes, where a value has a share in it.
    private func segments(of template: Template) -> [Template] {
        var segments = [Template(pieces: [])]
        for piece in template.pieces {
            guard case .literal(let text) = piece else {
                segments[segments.count - 1].pieces.append(piece)
                continue
            }
            let parts = text.utf8.split(
                separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
            for (number, part) in parts.enumerated() {
                if number > 0 { segments.append(Template(pieces: [])) }
                var literal = String(decoding: part, as: UTF8.self)
                if part.contains(UInt8(ascii: "%")) {
                    literal = literal.replacing("%2E", with: ".").replacing("%2e", with: ".")
                }
                if !literal.isEmpty {
                    segments[segments.count - 1].pieces.append(.literal(literal))
                }
            }
        }
        return segments.filter { !$0.placeholders.isEmpty }
    }
}
