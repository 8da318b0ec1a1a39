/// Where a version of a row stands in its table (`ctid`), as long as nobody changes the row.
public struct RowPlace: Sendable, Hashable {
    /// Number of the block, then sixteen bits of the place in it.
    public var number: UInt64

    /// From the block's number and the place in it, as they stand in `number`.
    public init(_ number: UInt64) { self.number = number }
}
