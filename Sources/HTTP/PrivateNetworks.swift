/// The networks beside the public internet in which the operator means sources to live.
public struct PrivateNetworks: Sendable, Equatable {
    /// A list that holds something else than networks.
    public struct Mistake: Error, Equatable, CustomStringConvertible {
        /// What is wrong and what would be right, in one line.
        public let description: String
    }

    /// The setting that names them, for whoever is told of a refused address.
    public static let setting = "JOBRUNNER_PRIVATE_NETWORKS"
    /// Only what anybody can reach.
    public static let none = PrivateNetworks(blocks: [])

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

    func contain(_ address: [UInt8]) -> Bool { blocks.contains { $0.contains(address) } }
}
