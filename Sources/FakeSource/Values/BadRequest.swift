/// What a caller did wrong, in one line.
struct BadRequest: Error {
    let message: String
    init(_ message: String) { self.message = message }
}
