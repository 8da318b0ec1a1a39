extension StringProtocol {
    /// The first characters of a text, with `…` behind them where there are more.
    ///
    /// Without that sign nobody would see in the text around it that a secret was cut off.
    public func beginning(_ charactersMax: Int) -> String {
        let kept = prefix(charactersMax)
        return kept.endIndex == endIndex ? String(kept) : kept + "…"
    }
}
