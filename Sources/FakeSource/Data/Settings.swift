/// What can be switched while the program runs.
struct Settings {
    enum Paging: String { case cursor, since }

    var paging: Paging
    var pageDelay: Milliseconds
    var limitsReconcile = false

    /// The hub's own limit per user.
    static let reconcileGap: Milliseconds = 900_000
}
