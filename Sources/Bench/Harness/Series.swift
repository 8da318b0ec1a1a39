/// The samples of one figure, one for each round.
struct Series: Sendable, Equatable {
    let name: String
    let unit: String
    var values: [Double] = []

    /// Nil without a sample.
    var summary: Summary? { Summary(values) }
}
