import JSON

/// What a file says of its addresses must fit what it says of the attributes in them.
extension NodeReading {
    func checkAddresses(_ file: JobFile, _ root: Node) {
        let source = root["source"]
        let texts = [
            (file.source.base, source?["base"]),
            (file.source.tokenURL, source?["auth"]?["token_url"] ?? source?["auth"]?["base"]),
        ]
        var hasChoice = false
        for (text, node) in texts {
            guard let text, let node else { continue }
            guard let template = AddressTemplate(text) else {
                checkSecrecy(of: text, at: node, file.source)
                continue
            }
            hasChoice = hasChoice || !template.hostAttributes.isEmpty
            check(template, at: node, file, root)
        }
        if let hosts = source?["hosts"], !hasChoice {
            add(
                hosts,
                "no placeholder stands in the host of base or token_url; leave hosts out")
        }
        for case .made(let name) in file.schedule.requires {
            guard file.inputs.contains(where: { $0.name == name }) else { continue }
            guard let node = root["inputs"]?[name] else { continue }
            add(
                node,
                "\"\(name)\" is made by requires, so that it is never given; leave it out here")
        }
    }

    private func checkSecrecy(of address: String, at node: Node, _ source: Source) {
        guard !source.maySend(to: address) else { return }
        add(
            node,
            "anybody on the way can read what goes over http; expected https, or insecure: true in the source"
        )
    }

    private func checkSecrecy(of template: AddressTemplate, at node: Node, _ source: Source) {
        guard template.scheme == "http://", !template.isOwn(source.hosts) else { return }
        if template.hostAttributes.isEmpty, source.isInsecure { return }
        add(
            node,
            template.hostAttributes.isEmpty
                ? "anybody on the way can read what goes over http; expected https, or insecure: true in the source"
                : "an address whose host users choose must be https, but for this machine's own")
    }

    private func check(_ template: AddressTemplate, at node: Node, _ file: JobFile, _ root: Node) {
        guard file.source.preset == nil else {
            add(node, "the address of a preset holds no placeholder")
            return
        }
        checkSecrecy(of: template, at: node, file.source)
        if let name = template.hostAttributes.first, file.source.hosts.isEmpty {
            add(
                node,
                "{user.\(name)} chooses the host; expected hosts in the source, such as [\"*.example.com\"]"
            )
            return
        }
        for name in Set(template.attributes).sorted() {
            guard let input = file.inputs.first(where: { $0.name == name }) else {
                add(
                    node, "{user.\(name)} stands in an address, so it must be declared under inputs"
                )
                continue
            }
            // What is wrong by itself says more than where it would lead.
            for (value, place) in listedValues(of: input, root) where mistakes.isEmpty {
                guard let place else { continue }
                do throws(InputProblem) {
                    try template.check(name, value, file.source.hosts)
                } catch {
                    add(place, error.message)
                }
            }
        }
    }

    /// What the file itself lets the attribute be, each with its place.
    private func listedValues(of input: Input, _ root: Node) -> [(String, Node?)] {
        let node = root["inputs"]?[input.name]
        if !input.map.isEmpty { return input.map.map { ($0.meaning, node?["map"]?[$0.value]) } }
        if !input.choices.isEmpty {
            return Array(zip(input.choices, node?["one_of"]?.elements ?? []))
        }
        return input.standard.map { [($0, node?["default"])] } ?? []
    }
}

extension AddressTemplate {
    /// Throws where a value of an attribute could be filled in by no run.
    fileprivate func check(
        _ name: String, _ value: String, _ hosts: [String]
    ) throws(InputProblem) {
        let others = Set(attributes).subtracting([name])
        let members =
            [JSONMember(name, .string(value))] + others.map { JSONMember($0, .string("x")) }
        _ = try renderedPath(with: .object(members))
        // What two attributes lead to together only a run knows.
        guard Set(hostAttributes) == [name] else { return }
        _ = try rendered(with: .object(members), hosts: hosts)
    }
}

/// Whoever may choose any host is sent what requests carry.
func hostWarnings(_ job: JobFile, _ file: ReadFile) -> [Mistake] {
    guard job.source.hosts.contains("*"), !job.secretNames.isEmpty else { return [] }
    return [
        file.mistake(
            at: file.root?["source"]?["hosts"],
            "whoever sets the attribute has the secrets of this file sent to any host, also those of the tenant; "
                + "expected the hosts that there are, such as \"*.example.com\"")
    ]
}
