import Glibc
import JSON
import Postgres

/// What the figures were measured on.
struct Machine: Sendable, Equatable {
    let cores: Int
    let processor: String
    let memoryGiB: Double
    let kernel: String
    /// Version and what differs from PostgreSQL's own settings; empty until a server has run.
    var server = ""

    /// This one.
    static func present() -> Machine {
        let information = (try? readFile("/proc/cpuinfo")) ?? ""
        let model = information.split(separator: "\n").first { $0.hasPrefix("model name") }
        let name = model?.split(separator: ":").last.map(String.init) ?? "unknown"
        let pages = Double(sysconf(Int32(_SC_PHYS_PAGES)))
        let kernel = (try? readFile("/proc/sys/kernel/osrelease")) ?? "unknown"
        return Machine(
            cores: sysconf(Int32(_SC_NPROCESSORS_ONLN)),
            processor: name.split(whereSeparator: \.isWhitespace).joined(separator: " "),
            memoryGiB: pages * Double(sysconf(Int32(_SC_PAGESIZE))) / 1_073_741_824,
            kernel: kernel.split(whereSeparator: \.isWhitespace).joined())
    }

    /// For the head of the report.
    var sentence: String {
        "\(cores) cores (\(processor)), \(readable(memoryGiB)) GiB, Linux \(kernel)"
            + (server.isEmpty ? "" : "; \(server)")
    }

    var json: JSONValue {
        .object([
            JSONMember("cores", .integer(cores)), JSONMember("processor", .string(processor)),
            JSONMember("memory_gib", .double(memoryGiB)), JSONMember("kernel", .string(kernel)),
            JSONMember("server", .string(server)),
        ])
    }
}

extension Cluster {
    /// Version and the settings of the configuration file, but those of the place.
    func describe() async throws -> String {
        let settings = Statement(
            """
            select 'PostgreSQL ' || current_setting('server_version') || ' with '
              || string_agg(name || ' = ' || current_setting(name), ', ' order by name)
            from pg_settings
            where name in (
              'fsync', 'synchronous_commit', 'full_page_writes', 'wal_level', 'shared_buffers',
              'effective_cache_size', 'work_mem', 'maintenance_work_mem', 'max_wal_size',
              'checkpoint_timeout', 'random_page_cost', 'shared_preload_libraries'
            )
            """)
        return try await withDatabase(asAdministrator: true) {
            try await $0.run { try $0.query(settings).only().text(0) }
        }
    }
}
