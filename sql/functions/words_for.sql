create or replace function jobrunner.words_for(
  in_span interval
) returns text
language sql immutable strict parallel safe
as $$
select case
  when seconds < 0 then '0 s'
  when seconds < 120 then round(seconds) || ' s'
  when seconds < 7200 then round(seconds / 60) || ' min'
  when seconds < 172800 then round(seconds / 3600) || ' h'
  else round(seconds / 86400) || ' days'
end
from (select extract(epoch from in_span)::numeric as seconds) as span
$$;
comment on function jobrunner.words_for is 'A span of time in a few words for people.';
