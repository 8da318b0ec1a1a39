import JobFiles
import JobQueue
import Reading
import TestJobFiles
import Testing

@testable import Sync

/// Pages that show the one before them: an end, a doubtful end, or a loop.
@Suite struct PassProgressTests {
    /// Reads pages of such keys and lengths; the last page's end, or the word of the run's.
    private func outcome(
        _ page: String, _ pages: [(keys: Int, listed: Int)], positions: [String]? = nil
    ) throws -> String {
        let request =
            page.contains("next_url")
            ? "{ path: /f }" : "{ path: /f, query: { p: \"{page.token}\" } }"
        let rule = try entity(page: page, request: request).page
        var progress = PassProgress()
        var asked = "0"
        for (number, shown) in pages.enumerated() {
            let next = positions.map { $0[number] } ?? String(number + 1)
            var batch = RecordBatch(try entity())
            batch.listed = shown.listed
            var fetched = FetchedPage(
                batch: batch, next: NextPosition(next: next),
                keys: shown.listed == 0 ? nil : shown.keys)
            do {
                try progress.advance(&fetched, at: asked, by: rule)
            } catch RunEnd.failed(let kind, _) {
                return "\(kind) at \(number + 1)"
            }
            guard fetched.next.next != nil else {
                return "\(fetched.next.doubt == nil ? "proven" : "doubtful") at \(number + 1)"
            }
            asked = next
        }
        return "goes on"
    }

    @Test(arguments: ["page", "offset"])
    func `a page that shows the one before ends counted pages as far as it proves anything`(
        _ style: String
    ) throws {
        let plain = "{ style: \(style), size: 10 }"
        #expect(try outcome(plain, [(1, 10), (2, 10), (3, 4), (3, 4)]) == "proven at 4")
        #expect(try outcome(plain, [(1, 10), (2, 10), (2, 10)]) == "doubtful at 3")
        #expect(try outcome(plain, [(1, 10), (1, 10)]) == "cursor_loop at 2")
        #expect(try outcome(plain, [(1, 4), (1, 4)]) == "cursor_loop at 2")
        let total = "{ style: \(style), size: 10, total_at: total }"
        #expect(try outcome(total, [(1, 10), (2, 10), (2, 10)]) == "cursor_loop at 3")
        let repeated = "{ style: \(style), size: 10, end: repeated }"
        #expect(try outcome(repeated, [(1, 10), (2, 10), (2, 10)]) == "proven at 3")
        #expect(try outcome(repeated, [(1, 4), (1, 4)]) == "proven at 2")
        #expect(try outcome(repeated, [(1, 10), (1, 10)]) == "doubtful at 2")
    }

    @Test func `a position that stays leads on while other records come`() throws {
        let repeated = "{ style: token, token_at: next, end: repeated }"
        let stays = ["a", "a", "a", "a"]
        #expect(
            try outcome(repeated, [(1, 10), (2, 10), (3, 10), (3, 10)], positions: stays)
                == "proven at 4")
        #expect(
            try outcome(repeated, [(1, 10), (2, 10), (3, 0)], positions: stays) == "proven at 3")
        #expect(try outcome(repeated, [(1, 10), (1, 10)], positions: ["a", "b"]) == "proven at 2")
        #expect(
            try outcome(repeated, [(1, 10), (2, 10), (3, 10)], positions: ["a", "b", "a"])
                == "cursor_loop at 3")
        #expect(
            try outcome(
                "{ style: token, token_at: next }", [(1, 10), (2, 10)], positions: ["a", "a"])
                == "cursor_loop at 2")
    }

    @Test func `empty pages lead on, but not for ever`() throws {
        let keyset = "{ style: keyset, token_at: max, start: 0 }"
        let empty = Array(repeating: (keys: 1, listed: 0), count: 101)
        #expect(try outcome(keyset, Array(empty.dropLast())) == "goes on")
        #expect(try outcome(keyset, empty) == "cursor_loop at 101")
    }
}
