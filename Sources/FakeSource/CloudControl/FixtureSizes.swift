/// How many records of a type a fixture makes.
struct FixtureSizes {
    let records: Int
    /// More records with the business key of an earlier one.
    let duplicates: Int
    /// More records without a required field.
    let broken: Int
    /// Entries of a search history.
    var searches = 0
    /// Records are named by their number, where their source would name them at random.
    var hasPlainNames = false

    var all: Int { records + duplicates + broken }

    /// The number whose business key a record has.
    func key(_ number: Int) -> Int {
        number < records || records == 0 ? number : (number - records) % records
    }

    func isBroken(_ number: Int) -> Bool { number >= records + duplicates }
}
