create or replace function jobrunner.notify(
  in_channel text,
  in_payload text,
  in_fullest double precision
) returns boolean
language plpgsql volatile
set search_path = pg_catalog, pg_temp
as $$
-- Notifies, unless the server's queue of notifications is fuller than a fraction; returns whether it does. The queue is
-- the whole cluster's, and keeps what any one listener has not read. When it is full, no transaction that notifies can
-- commit, and a claim or an outcome must not hang on whoever listens to something else. What this looks at may be a
-- moment old: by far not so many notifications fit between two looks as between the fraction and the end.
-- Not for callers: the verbs that tell of something.
begin
  if pg_notification_queue_usage() > in_fullest then
    return false;
  end if;
  perform pg_notify(in_channel, in_payload);
  return true;
end
$$;
comment on function jobrunner.notify is
  'Notifies, unless the queue of notifications is too full. Not for callers: the verbs that tell of something.';
