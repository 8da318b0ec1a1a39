extension Duration {
    /// With fractions.
    var seconds: Double {
        Double(components.seconds) + Double(components.attoseconds) / 1e18
    }

    /// With fractions.
    var milliseconds: Double { seconds * 1000 }
}
