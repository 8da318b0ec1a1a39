import JSON

extension Mapping where Model == Probe {
    fileprivate static let probe = Mapping(
        "probe", "The small request that tells whether a pass is worth reading.",
        blank: Probe(request: .blank, skipIfSame: [], fullEvery: .zero),
        only: .byPreset(without: "a probe without cloudkit", with: "a probe with cloudkit")
    ) {
        required(
            "request", \.request, Mapping<Request>.ofProbe.form,
            "The request, as in the entity, without the position and `{since}`."
        ).only(.withoutPreset).when(\.sort.isEmpty)
        required(
            "sort", \.sort, .filled(.sort),
            "The order whose first record is looked at, among those of `where`."
        ).only(.withPreset).when { !$0.sort.isEmpty }
        required(
            "skip_if_same", \.skipIfSame, .filled(.byPreset(.listPath, with: .presetValue)),
            """
            The values that are compared: paths, through `[]` to the first one; with `cloudkit` \
            `recordName` or `recordChangeTag`.
            """)
        required(
            "full_every", \.fullEvery, .fullEvery,
            "After so long the pass is read whatever the probe says, since it can't see deletions."
        )
    }
}

extension Form where Value == Probe {
    static let probe = Form(
        type: Mapping<Probe>.probe.form.type,
        read: { node, reading in
            guard let entity = reading.scope.entity, entity.isKnown else { return nil }
            if entity.operation?.feed != nil {
                reading.add(
                    node, "a change feed tells by itself that nothing changed; leave probe out")
                return nil
            }
            return reading.collectingUses { Mapping<Probe>.probe.read(node, reading) }.0
        }, write: Mapping<Probe>.probe.form.write)
}

extension Form where Value == Path {
    /// A system value of a record, as a preset's probe compares it.
    fileprivate static let presetValue = Form<String>.words(
        ["recordName", "recordChangeTag"], noun: "value"
    ).map({ word, _ in Path(steps: [.member(word)]) }, back: \.description)
}
