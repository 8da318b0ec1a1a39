/// The assets of a container, by their names.
struct CloudAssets {
    private var bytes: [String: [UInt8]] = [:]

    /// What a device makes of a record's fields: Core Data keeps a text that is too long as an asset beside its own
    /// field, and has one of the two.
    mutating func kept(
        _ fields: [String: CloudField], above sizes: [String: Int]
    ) -> [String: CloudField] {
        var kept = fields
        for (name, most) in sizes {
            guard let text = fields[name]?.value.text else { continue }
            let bytes = Array(text.utf8)
            kept[name + CloudAssets.suffix] = bytes.count > most ? add(bytes) : nil
            if bytes.count > most { kept[name] = nil }
        }
        return kept
    }

    /// The asset of that name; nil when there is none.
    func find(_ name: String) -> [UInt8]? { bytes[name] }

    /// What Core Data puts behind a field's name for the asset that keeps its long text.
    static let suffix = "_ckAsset"

    private mutating func add(_ text: [UInt8]) -> CloudField {
        let checksum = CloudSignature.hash(text)
        let name = String(
            checksum.map { $0 == "+" ? "-" : $0 == "/" ? "_" : $0 }.filter { $0 != "=" })
        bytes[name] = text
        return CloudField(
            "ASSETID",
            .object([
                "fileChecksum": .string(checksum), "size": .int(Int64(text.count)),
                "downloadURL": .string("\(CloudAssets.path)/\(name)"),
            ]))
    }

    /// Where they are served; a record's address is whole only as it is served, for only then it is known by which name
    /// the caller has found the source.
    static let path = "/assets"
}

extension CloudKit {
    /// An asset's bytes, for whoever has its address; nil when the request is for none.
    ///
    /// A credential that comes along has gone to where it does not belong: 400.
    func asset(_ request: Request) -> Answer? {
        guard request.segments.first == "assets", request.segments.count == 2 else { return nil }
        guard request.method == "GET" else { return .error(405, "Method not allowed") }
        let isOpen = request.headers.allSatisfy { name, _ in
            let name = name.lowercased()
            return name != "authorization" && name != "cookie"
                && !name.hasPrefix("x-apple-cloudkit")
        }
        guard isOpen, request.queries.isEmpty else {
            return .error(400, "an asset is asked for without a credential")
        }
        for container in containers.values {
            guard let bytes = container.assets.find(request.segments[1]) else { continue }
            return Answer(
                headers: [("Content-Type", "application/octet-stream")], body: .bytes(bytes))
        }
        return .error(404, "Not found")
    }
}
