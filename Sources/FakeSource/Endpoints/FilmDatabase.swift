/// A film database such as The Movie Database's API 3: `GET /tmdb/3/movie/popular`, `/tv/popular` and `/discover/movie`.
///
/// Pages are of twenty and counted from 1, at most 500; a token stands in the header.
struct FilmDatabase {
    /// The token that is good.
    static let token = "film-token"

    private static let pageSize = 20
    private static let pagesMax = 500
    /// How many each list has.
    private static let counts = ["movie/popular": 63, "tv/popular": 41, "discover/movie": 20]

    /// Nil when the path is none of its own.
    func answer(_ request: Request) -> Answer? {
        guard request.segments.starts(with: ["tmdb", "3"]) else { return nil }
        guard request.header("authorization") == "Bearer \(Self.token)" else {
            return refusal(401, code: 7, "Invalid API key: You must be granted a valid key.")
        }
        let list = request.segments.dropFirst(2).joined(separator: "/")
        guard request.method == "GET", let count = Self.counts[list] else {
            return refusal(404, code: 34, "The resource you requested could not be found.")
        }
        guard let page = Int(request.query("page") ?? "1"), (1...Self.pagesMax).contains(page)
        else {
            return refusal(400, code: 22, "Invalid page: Pages start at 1 and max at 500.")
        }
        let numbers = Array((0..<count).dropFirst((page - 1) * Self.pageSize).prefix(Self.pageSize))
        let body = JSONText.object { json in
            json.field("page", page)
            json.array("results", of: numbers) { number, json in
                write(number, isShow: list.hasPrefix("tv"), to: &json)
            }
            json.field("total_pages", (count + Self.pageSize - 1) / Self.pageSize)
            json.field("total_results", count)
        }
        var answer = Answer.json(200, body)
        answer.served = Answer.Served(records: numbers.count)
        return answer
    }

    private func write(_ number: Int, isShow: Bool, to json: inout JSONText) {
        let title = "\(isShow ? "Show" : "Film") \(number)"
        json.raw("{")
        json.field("id", (isShow ? 90_000 : 1000) + number)
        json.field(isShow ? "name" : "title", title)
        json.field(isShow ? "original_name" : "original_title", title)
        json.field("overview", "What \"\(title)\" is about")
        // Of a film that is not out yet no date is known.
        let date = number % 10 == 9 ? "" : "20\(10 + number % 16)-0\(number % 9 + 1)-15"
        json.field(isShow ? "first_air_date" : "release_date", date)
        if number % 7 == 6 {
            json.key("poster_path")
            json.raw("null")
        } else {
            json.field("poster_path", "/poster\(number).jpg")
        }
        json.key("genre_ids")
        json.raw("[\(number % 5), 18]")
        json.field("original_language", "en")
        json.key("popularity")
        json.raw("\(1000 - number).125")
        json.key("vote_average")
        json.raw("\(number % 10).25")
        json.field("vote_count", number * 11)
        json.raw("}")
    }

    private func refusal(_ status: Int, code: Int, _ message: String) -> Answer {
        .json(
            status,
            JSONText.object { json in
                json.field("success", false)
                json.field("status_code", code)
                json.field("status_message", message)
            })
    }
}
