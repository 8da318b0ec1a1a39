/// Where a version of a row stands in its table (`ctid`), until somebody changes the row or the table is written anew.
public struct RowPlace: Sendable, Hashable {
    let block: UInt32
    let item: UInt16
}
