import Foundation
import Postgres
import Testing

// Sessions that can't be had, or whose server takes no writes, for a while.
extension DatabaseFaultTests {
    private func waitForPage(_ world: World) async throws {
        try await eventually("a page is committed") {
            try await world.value("select count(*) > 0 from synced.generic_item") == "true"
        }
    }

    @Test(arguments: ["28P01", "3D000", "42501"])
    func `a server that refuses logins for a while fails no run`(_ state: String) async throws {
        try await withWorld(Self.yaml()) { world in
            try await addUsers(world)
            try await world.source.fault(#"{"kind": "slow", "delay_ms": 300, "times": 0}"#)
            let relay = try SwitchingRelay(to: world.database.url)
            let port = URLComponents(string: world.database.url)?.port ?? 0
            let worker = try await world.start(through: relay.url)
            try await waitForPage(world)
            relay.set(.refuses(state))
            relay.cut()
            try await world.lines.wait(for: state)
            // Runs have pages to write meanwhile.
            try await outageLasts(.seconds(1))
            relay.set(.leads(to: port))
            try await expectAllWell(world)
            await worker.stop()
        }
    }

    /// Somebody's trigger notifies, and a listener elsewhere on the server has let the queue fill up.
    @Test func `a page that the full queue of notifications refuses waits and is fetched once`()
        async throws
    {
        try await withWorld(Self.yaml(), videos: 15) { world in
            for text in [
                "create sequence public.tries", "create table public.full (f int)",
                "insert into public.full values (1)",
                """
                create function public.refuse() returns trigger language plpgsql security definer as $$
                begin
                  if exists (select from public.full) then
                    -- A sequence keeps what a transaction that fails has taken.
                    perform nextval('public.tries');
                    raise exception 'too many notifications in the NOTIFY queue' using errcode = '54000';
                  end if;
                  return null;
                end $$
                """,
                """
                create constraint trigger refuse after insert on synced.generic_item
                deferrable initially deferred for each row execute function public.refuse()
                """,
            ] { try await world.sql(text) }
            let worker = try await world.start()
            try await eventually("the page is tried again and again") {
                try await world.value("select last_value > 5 from public.tries") == "true"
            }
            try await world.sql("delete from public.full")
            try await eventually("the run is complete") {
                try await world.outcomes("ann") == ["complete"]
            }
            #expect(try await world.source.asked().count == 1)
            await worker.stop()
        }
    }
}
