/// Random numbers that follow from a seed, the same on every machine (SplitMix64; Steele, Lea, Flood 2014).
///
/// For what must be repeated, such as a failing test. Nothing secret may depend on them.
public struct SplitMix: RandomNumberGenerator, Sendable {
    private var state: UInt64

    /// Begins at a seed.
    public init(seed: UInt64) { state = seed }

    /// The next number.
    public mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xbf58_476d_1ce4_e5b9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94d0_49bb_1331_11eb
        return mixed ^ (mixed >> 31)
    }
}
