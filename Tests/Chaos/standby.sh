# Disturbances by a standby, for programs that use the functions of bin/chaos: a server that follows another, an address that
# leads to the one or the other, and the one taking the other's place.
#
#   start_standby               a standby of the server in $scratch/pg, without which no commit is confirmed from here on;
#                               sets primary_port and standby_port
#   sessions_at PORT            workers' sessions that a server has
#   lose_primary                the primary is gone as when its machine loses power, and nobody is told
#   promote_standby             the standby takes writes; $server and $DATABASE_URL are its own from here on

port_of() { sed -E 's|.*:([0-9]+)/.*|\1|' <<<"$1"; }

start_standby() {
  primary_port="$(port_of "$server")"
  standby_port="$(port_of "$(bin/pg standby "$scratch/standby" "$scratch/pg" 2>"$scratch/standby.log" | head -n 1)")"
  for text in "alter system set synchronous_standby_names = '*'" "alter system set synchronous_commit = on" \
    "select pg_reload_conf()"; do
    psql -qAtX -v ON_ERROR_STOP=1 -c "$text" "$administrator" >/dev/null
  done
  until [ "$(psql -qAtX -c "select count(*) from pg_stat_replication where sync_state = 'sync'" "$administrator")" = 1 ]; do sleep 0.1; done
}

sessions_at() {
  psql -qAtX -c "select count(*) from pg_stat_activity where application_name = 'jobrunner'" "${server/:$(port_of "$server")\//:$1/}"
}

lose_primary() {
  kill -QUIT "$(head -n 1 "$scratch/pg/data/postmaster.pid")"
}

promote_standby() {
  bin/pg promote "$scratch/standby" >/dev/null 2>&1
  server="${server/:$primary_port\//:$standby_port/}"
  export DATABASE_URL="${DATABASE_URL/:$primary_port\//:$standby_port/}"
}
