/// A list of networks that an operator names.
public struct Networks: Sendable, Equatable {
    /// A list that holds something else than networks.
    public struct Mistake: Error, Equatable, CustomStringConvertible {
        /// What is wrong and what would be right, in one line.
        public let description: String
    }

    /// The setting that names those in which sources live beside the public internet.
    public static let settingOfSources = "JOBRUNNER_PRIVATE_NETWORKS"
    /// An empty list.
    public static let none = Networks(blocks: [])

    private let blocks: [AddressBlock]

    private init(blocks: [AddressBlock]) { self.blocks = blocks }

    /// Reads a list that commas or blanks divide: `10.20.0.0/16, ::1/128`.
    public init(_ list: String) throws(Mistake) {
        var blocks: [AddressBlock] = []
        for text in list.split(whereSeparator: { $0 == "," || $0.isWhitespace }) {
            guard let block = AddressBlock(text) else {
                throw Mistake(
                    description:
                        "\"\(text.prefix(60))\" is no network; expected an address and its bits, such as 10.20.0.0/16 or"
                        + " fd00::/8, without bits beyond these")
            }
            blocks.append(block)
        }
        self.blocks = blocks
    }

    /// Whether an address, as it is usually written, is in one of them.
    public func contain(_ address: String) -> Bool { addressBytes(address).map(contain) ?? false }

    func contain(_ address: [UInt8]) -> Bool { blocks.contains { $0.contains(address) } }
}
