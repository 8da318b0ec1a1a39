/// The finaliser of SplitMix64 (Steele, Lea, Flood 2014): numbers that are near each other give bits that are not.
func splitMix64(_ number: UInt64) -> UInt64 {
    var value = number &+ 0x9e37_79b9_7f4a_7c15
    value = (value ^ (value >> 30)) &* 0xbf58_476d_1ce4_e5b9
    value = (value ^ (value >> 27)) &* 0x94d0_49bb_1331_11eb
    return value ^ (value >> 31)
}
