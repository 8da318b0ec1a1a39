/// Whether the benchmarks are run in their short forms, of minutes, or their full ones, of hours.
enum Form: String, Sendable { case short, full }
