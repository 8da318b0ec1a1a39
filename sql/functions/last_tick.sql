create or replace function jobrunner.last_tick(
  in_next timestamptz,
  in_every interval,
  in_phase interval
) returns timestamptz
language sql stable parallel safe
as $$
-- in_next is the next tick by today's clock, as next_tick says it: without a phase it is a period from now, and a run
-- that goes on where another stopped belongs to a period that began a period ago at the earliest.
select case when in_phase is null then in_next - 2 * in_every else in_next - in_every end
$$;
comment on function jobrunner.last_tick is 'The tick before the next one: what was read to its end since then is not read again by a run that goes on.';
